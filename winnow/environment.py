"""Settings of this process, and where its data folder is."""

from collections.abc import Mapping
from dataclasses import replace

import platformdirs

from winnow.core.settings import Settings, read_settings


def read_environment(environ: Mapping[str, str]) -> Settings:
    """Read the settings; the data folder's path comes out absolute.

    Raises:
        SettingsError: Names the variable with the wrong value.
    """
    default = platformdirs.user_data_path("winnow", appauthor=False)
    settings = read_settings(environ, default_data_dir=default)
    return replace(settings, data_dir=settings.data_dir.absolute())
