"""The outside memory systems: what each has of times, users and editing, from the adapters."""

from __future__ import annotations

from pathlib import Path

from mabench.plugins import Group, plugins
from mabench_site.markdown import code, table
from mabench_systems.shared import SystemMemory

PARTS = ("time", "speaker", "session", "user", "update", "delete", "list")
_TRIED = Path(__file__).parents[3] / "tests" / "systems" / "requirements"


def systems_in_markdown() -> str:
    """Return a table of whether each system has a part itself, its adapter makes it, or neither."""
    rows = [
        (
            code(name),
            _version(system),
            *(system.mabench_support.get(part, "none") for part in PARTS),
        )
        for name, system in systems().items()
    ]
    return table(("System", "Version tried", *(part.capitalize() for part in PARTS)), rows)


def systems() -> dict[str, type[SystemMemory]]:
    """Return the adapters by name; the systems themselves need not be installed."""
    points = plugins(Group.MEMORIES).items()
    own = {name: point for name, point in points if point.value.startswith("mabench_systems.")}
    return {name: point.load() for name, point in own.items()}


def _version(system: type[SystemMemory]) -> str:
    """Return the pinned version of the system's package, whose name begins as its module's."""
    listed = _TRIED / f"{system.__module__.rpartition('.')[2]}.txt"
    package = str(system.mabench_capabilities["module"]).partition(".")[0].replace("_", "-")
    pins = listed.read_text("utf-8").splitlines()
    return next(pin.partition("==")[2] for pin in pins if pin.startswith(package))
