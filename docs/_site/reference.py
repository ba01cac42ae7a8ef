"""Pages of the API reference, one per room, written when the site is built: a new public name needs no line here."""

from __future__ import annotations

import importlib
import pkgutil
from pathlib import Path
from types import ModuleType

import semildp

GROUPS = {
    "For analysts": [
        "semildp",
        "semildp.baselines",
        "semildp.masks",
        "semildp.study",
        "semildp.models",
        "semildp.errors",
    ],
    "For devices and collections": ["semildp.client", "semildp.remote", "semildp.crowd", "semildp.wire"],
    "To check and to compare": ["semildp.audit", "semildp.mechanisms", "semildp.theory", "semildp.selection"],
}
OTHERS = "Further rooms"
_ESTIMATORS = {"semildp", "semildp.baselines"}  # rooms whose classes inherit what users call
_FOREIGN = ("BaseEstimator", "RegressorMixin", "ClassifierMixin", "DensityMixin", "Struct", "UserWarning", "ValueError")
LEFT_OUT = {"cli", "service", "estimators"}  # commands, HTTP routes; estimators are exported by semildp itself


def public_modules() -> list[str]:
    """Return the names of all rooms that a user may import from, the package itself first."""
    rooms = [m.name for m in pkgutil.iter_modules(semildp.__path__) if not m.name.startswith("_")]
    return ["semildp", *(f"semildp.{name}" for name in rooms if name not in LEFT_OUT)]


def groups() -> dict[str, list[str]]:
    """Return all rooms by heading; those that no heading names come last."""
    named = {name for names in GROUPS.values() for name in names}
    return {**GROUPS, OTHERS: [name for name in public_modules() if name not in named]}


def page(name: str) -> str:
    """Return a room's page: its public names, or, where it exports none itself, those of its files."""
    module = importlib.import_module(name)
    lines = [name, "=" * len(name), "", *_automodule(name, module)]
    if not hasattr(module, "__all__"):
        for inner in pkgutil.iter_modules(getattr(module, "__path__", ()), f"{name}."):
            if not inner.ispkg and not inner.name.rpartition(".")[2].startswith("_"):
                lines += [inner.name, "-" * len(inner.name), "", *_automodule(inner.name, None)]
    return "\n".join(lines) + "\n"


def index() -> str:
    """Return the first page of the reference, with a list of rooms under each heading."""
    lines = ["API reference", "=============", "", _ABOUT, ""]
    for heading, names in groups().items():
        lines += [heading, "-" * len(heading), "", ".. toctree::", "   :maxdepth: 1", ""]
        lines += [f"   {name}" for name in names]
        lines.append("")
    return "\n".join(lines)


def write(folder: Path) -> None:
    """Write all pages; a page that is there already with the same text is left alone."""
    pages = {"index": index(), **{name: page(name) for names in groups().values() for name in names}}
    folder.mkdir(exist_ok=True)
    for old in folder.glob("*.rst"):
        if old.stem not in pages:
            old.unlink()
    for name, text in pages.items():
        place = folder / f"{name}.rst"
        if not place.exists() or place.read_text(encoding="utf-8") != text:
            place.write_text(text, encoding="utf-8")


def _automodule(name: str, module: ModuleType | None) -> list[str]:
    lines = [f".. automodule:: {name}"]
    if module is None or hasattr(module, "__all__") or not hasattr(module, "__path__"):
        lines.append("   :members:")
    if name in _ESTIMATORS:
        lines.append(f"   :inherited-members: {', '.join(_FOREIGN)}")
    return [*lines, ""]


_ABOUT = (
    "Every public name, from its own docstring. What is not listed here may change without notice; the package's\n"
    "``__all__`` and those of its rooms are what it promises."
)
