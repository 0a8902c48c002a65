"""The parts of a project's page: each binds pieces of components to the services of one project."""
