"""The long description of the package: README with absolute links, which a package index can follow."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

_IMAGES = re.compile(r'(!\[[^]]*\]\(|<img src=")(?!https?:)([^)"\s]+)')
_LINKS = re.compile(r"(?<!!)(\[[^][]*\]\()(?!https?:|#)([^)\s]+)\)")


def absolute(text: str, address: str) -> str:
    """Return a page of the root folder with links and images that lead to the repository at `address`.

    Examples
    --------
    >>> absolute("![p](docs/p.png) [a](docs/a.md) [b](https://b.org)", "https://x.org/y")
    '![p](https://x.org/y/raw/main/docs/p.png) [a](https://x.org/y/blob/main/docs/a.md) [b](https://b.org)'
    """
    text = _IMAGES.sub(rf"\1{address}/raw/main/\2", text)
    return _LINKS.sub(rf"\1{address}/blob/main/\2)", text)


class LongDescription(MetadataHookInterface):
    """Fills in `readme`."""

    PLUGIN_NAME = "custom"

    def update(self, metadata: dict[str, Any]) -> None:
        """Set the long description; the repository's address is that of [project.urls]."""
        text = (Path(self.root) / "README.md").read_text(encoding="utf-8")
        metadata["readme"] = {
            "content-type": "text/markdown",
            "text": absolute(text, metadata["urls"]["Source"]),
        }
