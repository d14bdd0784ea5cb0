"""The memories that `mabench stress` is examined with: forty faulty ones, and five correct ones.

That each fault is there, and is found, is shown by `make test-stress`.
"""

import asyncio
import inspect
import re
import time as clock
from collections import Counter
from collections.abc import Iterator
from contextlib import nullcontext
from datetime import UTC, datetime, timedelta
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import mabench
from mabench.contract.answers import passages_of
from mabench.remote.channel import RemoteError
from mabench.remote.http_channel import http_factory
from mabench.specs import StressSpec
from tests.remote.http_serving import serving
from tests.stress import correct

FAULTY = {
    name: kind
    for path in Path(__file__).parent.glob("faulty/[!_]*.py")
    for name, kind in vars(import_module(f"tests.stress.faulty.{path.stem}")).items()
    if inspect.isclass(kind) and kind.__module__.endswith(path.stem) and name[0] != "_"
}
CORRECT = ("Held", "Sqlite", "Asynchronous", "Late", "a server")
FINDINGS = (
    "lost-write", "double-write", "stale-after-update", "deleted-found", "deleted-on-disk",
    "other-user", "not-as-of", "lost-on-kill", "fails-under-writes", "hangs", "order-changes",
    "grows",
)  # fmt: skip
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)


def fault_of(name: str) -> str:
    """The fault that the name of a memory begins with."""
    words = re.sub(r"(?<!^)(?=[A-Z])", "-", name).lower()
    return next(fault for fault in FINDINGS if words.startswith(fault))


def test_there_are_forty_faults_of_every_name_each_explained() -> None:
    faults = Counter(map(fault_of, FAULTY))
    assert faults.total() == 40
    assert {*faults} == {*FINDINGS}
    assert min(faults.values()) >= 3
    for kind in FAULTY.values():
        assert len(re.findall(r"\.\s", kind.__doc__ or "")) > 1  # What it is, and why.


@pytest.fixture(params=CORRECT)
def memory(request: pytest.FixtureRequest) -> Iterator[str]:
    """What a correct memory is called by, or the server of one."""
    with serving(correct.replying()) if " " in request.param else nullcontext() as served:
        yield served.url if served else f"tests.stress.correct:{request.param}"


def test_what_is_right_where_the_contract_is_silent(memory: str, tmp_path: Path) -> None:
    if memory.startswith("http"):
        kind: Any = http_factory(memory)
    else:
        kind = getattr(correct, memory.partition(":")[2])
    made = kind(tmp_path) if kind is correct.Sqlite else kind()
    loop = asyncio.Runner()

    def call(name: str, *given: Any, **fields: Any) -> Any:
        told = {field: value for field, value in fields.items() if value is not None}
        result = getattr(made, name)(*given, **told)
        return loop.run(result) if inspect.iscoroutine(result) else result

    def find(time: datetime | None = None) -> list[str]:
        call("ready")
        found = passages_of(call("search", "the locker", 5, time=time, user="ann"))
        return [passage.text for passage in found]

    call("add", "locker amber", user="ann")
    cobalt = call("add", "the locker cobalt", time=NOON, user="ann")
    call("update", cobalt, "the locker russet", time=NOON + 2 * HOUR)
    assert find(NOON - HOUR) == ["locker amber"]
    assert find(NOON) == find(NOON + HOUR) == ["the locker cobalt", "locker amber"]
    call("update", cobalt, "locker umber")
    assert find(NOON + HOUR) == ["the locker cobalt", "locker amber"]
    assert find(NOON + 2 * HOUR) == find() == ["locker amber", "locker umber"]
    assert [*call("list", user="ann")] == ["locker amber", "locker umber"]
    assert not call("search", "locker", 5)
    assert not call("list")
    call("delete", id="nothing")
    call("delete", user="bob")
    with pytest.raises((KeyError, RemoteError), match="nothing"):
        call("update", "nothing", "locker")
    call("delete", id=cobalt)
    assert find(NOON + HOUR) == find() == ["locker amber"]
    call("close")
    loop.close()


@pytest.mark.slow
@pytest.mark.parametrize("name", FAULTY)
def test_each_planted_fault_is_found(name: str) -> None:
    begun = clock.monotonic()
    report = mabench.stress(f"{FAULTY[name].__module__}:{name}", StressSpec(seconds=50))
    assert fault_of(name) in {each.name for each in report.findings}
    assert clock.monotonic() - begun < 75  # 60 on a machine of its own.


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10))
def test_nothing_is_found_where_nothing_is(memory: str, seed: int) -> None:
    report = mabench.stress(memory, StressSpec(seed=seed, seconds=20))
    assert [each.message for each in report.findings] == []
