"""Does a memory that was saved come back when it is loaded?"""

from __future__ import annotations

import tempfile
from pathlib import Path

from mabench.check.examinee import Examinee
from mabench.check.facts import Facts
from mabench.check.findings import Verdict, failed, passed, skipped, warning
from mabench.check.knowledge import known, too_few

_FACTS = 10


async def saved_memory_comes_back(examinee: Examinee) -> Verdict:
    """Save an instance, close it, and ask a fresh one that has loaded what was saved."""
    facts = Facts("save and load").take(_FACTS)
    with tempfile.TemporaryDirectory(prefix="mabench-check-", ignore_cleanup_errors=True) as name:
        folder = Path(name) / "memory"
        folder.mkdir()
        async with examinee.fresh() as instance:
            offered = [method for method in ("save", "load") if instance.method(method)]
            if len(offered) < 2:
                return skipped(_not_offered(offered))
            await instance.tell(facts)
            await instance.call("save", folder)
            before = await known(instance, facts)
        async with examinee.fresh() as loaded:
            await loaded.call("load", folder)
            after = await known(loaded, facts)
    seen = (
        f"of {_FACTS} facts {len(before)} are found by the instance that was saved and "
        f"{len(after)} by the one that loaded it"
    )
    if too_few(after, facts, len(before) / _FACTS):
        return failed(f"{seen}: save and load lose what was memorized")
    return warning(seen) if len(after) < len(before) else passed(seen)


def _not_offered(offered: list[str]) -> str:
    return f"only {offered[0]} is offered; runs need both" if offered else "not offered"
