"""Settings of this process, and where its data folder is."""

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import platformdirs

from winnow.core.settings import Settings, read_settings


def lacks_home(environ: Mapping[str, str]) -> bool:
    """Return whether no data folder is named and the user's home cannot be used."""
    return "WINNOW_DATA_DIR" not in environ and not os.access(os.path.expanduser("~"), os.X_OK)


def read_environment(environ: Mapping[str, str]) -> Settings:
    """Read the settings; the data folder's path comes out absolute.

    Raises:
        SettingsError: Names the variable with the wrong value.
    """
    try:
        default = platformdirs.user_data_path("winnow", appauthor=False)
    except RuntimeError:  # there is no home; a server says that its folder cannot be made
        default = Path(os.devnull, "winnow")
    settings = read_settings(environ, default_data_dir=default)
    return replace(settings, data_dir=settings.data_dir.absolute())
