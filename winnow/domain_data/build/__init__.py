"""The build of the domain data: packages, reviewed files and refreshed lists in, one file out."""
