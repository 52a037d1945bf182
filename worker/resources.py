"""Where the files that are not Python lie."""

from pathlib import Path
from typing import Literal

Folder = Literal["migrations", "static", "templates"]

TOP = Path(__file__).resolve().parent.parent


def folder(name: Folder) -> Path:
    """The folder of that name: in a wheel's `watchfloor/` once installed, beside the packages in a checkout."""
    installed = TOP / "watchfloor" / name
    return installed if installed.is_dir() else TOP / name
