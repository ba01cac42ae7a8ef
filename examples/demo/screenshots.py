"""Pictures of pages, taken by Chromium if it is there."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
SECONDS = 30  # that a picture may take
TALL = 4000  # pixels; what the page leaves empty below is cut off
MARGIN = 32  # pixels kept of it


def find_browser() -> str | None:
    """Path of Chromium, or None."""
    named = os.environ.get("SEMILDP_CHROMIUM")
    return named or next((path for name in NAMES if (path := shutil.which(name))), None)


def take(browser: str, address: str, path: Path, width: int) -> bool:
    """Take a picture of a whole page; return whether that worked."""
    with TemporaryDirectory(prefix="semildp-browser-", ignore_cleanup_errors=True) as home:
        command = [browser, "--headless", "--disable-gpu", "--hide-scrollbars", "--force-prefers-reduced-motion"]
        command += [
            f"--user-data-dir={home}",
            "--virtual-time-budget=8000",
            f"--window-size={width},{TALL}",
            f"--screenshot={path}",
            address,
        ]
        if hasattr(os, "geteuid") and os.geteuid() == 0:
            command.insert(1, "--no-sandbox")  # Chromium refuses to run as root with it
        environment = {**os.environ, "HOME": home}
        try:
            subprocess.run(command, env=environment, capture_output=True, timeout=SECONDS, check=True)
        except (OSError, subprocess.SubprocessError):
            return False
    if not path.exists():
        return False
    _crop(path)
    return True


def _crop(path: Path) -> None:
    """Cut off what is empty below."""
    from PIL import Image

    with Image.open(path) as opened:
        picture = opened.convert("RGB")
    pixels = np.asarray(picture)
    filled = np.flatnonzero((pixels != pixels[-1, 0]).any(axis=(1, 2)))
    bottom = min(int(filled[-1]) + MARGIN, len(pixels)) if len(filled) else len(pixels)
    picture.crop((0, 0, picture.width, bottom)).save(path)
