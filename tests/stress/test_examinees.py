"""The memories that `mabench stress` is examined with: forty faulty ones, and five correct ones.

That each fault is there, and is found, is shown by `make test-stress`.
"""

import asyncio
import inspect
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from mabench.contract.answers import passages_of
from mabench.remote.http_channel import http_factory
from tests.stress.correct import over_http

HERE = Path(__file__).parent
FAULTY = [import_module(f"tests.stress.faulty.{p.stem}") for p in HERE.glob("faulty/[!_]*.py")]
CORRECT = [import_module(f"tests.stress.correct.{p.stem}") for p in HERE.glob("correct/[!_]*.py")]
FINDINGS = {
    "lost-write", "double-write", "stale-after-update", "deleted-found", "deleted-on-disk",
    "other-user", "not-as-of", "lost-on-kill", "fails-under-writes", "hangs", "order-changes",
    "grows",
}  # fmt: skip
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)


class Awaited:
    """A memory of coroutines, called without them."""

    def __init__(self, memory: Any) -> None:
        self.memory = memory

    def __getattr__(self, name: str) -> Callable[..., Any]:
        method = getattr(self.memory, name)
        return lambda *args, **kwargs: asyncio.run(method(*args, **kwargs))


def test_there_are_forty_faults_of_every_name_each_explained() -> None:
    faults = Counter(module.FAULT for module in FAULTY)
    assert faults.total() == 40
    assert set(faults) == FINDINGS
    assert min(faults.values()) >= 3
    for module in FAULTY:
        assert module.__name__.rpartition(".")[2].replace("_", "-").startswith(module.FAULT)
        what, why = (module.__doc__ or "").strip().split("\n\n")
        assert what.endswith(".")
        assert why.endswith(".")


@pytest.mark.parametrize("module", CORRECT)
def test_what_is_right_where_the_contract_is_silent(module: Any, tmp_path: Path) -> None:
    keeps_files = "folder" in inspect.signature(module.Memory).parameters
    memory = module.Memory(tmp_path) if keeps_files else module.Memory()
    memory = Awaited(memory) if inspect.iscoroutinefunction(memory.add) else memory

    def find(time: datetime | None = None) -> list[str]:
        memory.ready()
        return list(memory.search("the locker", 5, time=time, user="ann"))

    memory.add("locker amber", user="ann")
    cobalt = memory.add("the locker cobalt", time=NOON, user="ann")
    memory.update(cobalt, "the locker russet", time=NOON + 2 * HOUR)
    assert find(NOON - HOUR) == ["locker amber"]
    assert find(NOON) == find(NOON + HOUR) == ["the locker cobalt", "locker amber"]
    memory.update(cobalt, "locker umber")
    assert find(NOON + HOUR) == ["the locker cobalt", "locker amber"]
    assert find(NOON + 2 * HOUR) == find() == ["locker amber", "locker umber"]
    assert list(memory.list(user="ann")) == ["locker amber", "locker umber"]
    assert not memory.search("locker", 5)
    assert not memory.list()
    memory.delete("nothing")
    memory.delete(user="bob")
    with pytest.raises(KeyError):
        memory.update("nothing", "locker")
    memory.delete(cobalt)
    assert find(NOON + HOUR) == find() == ["locker amber"]
    memory.close()


def test_the_server_speaks_the_contract() -> None:
    async def use(memory: Any) -> object:
        await memory.add("locker amber")
        found = await memory.search("locker", 5)
        await memory.close()
        return [passage.text for passage in passages_of(found)]

    with over_http.serving() as url:
        assert asyncio.run(use(http_factory(url)())) == ["locker amber"]
