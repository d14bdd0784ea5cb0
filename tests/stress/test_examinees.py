"""The faulty memories show their faults by a short script, and the correct ones do not.

Nothing here uses `mabench stress`: these are the memories that it is examined with.
"""

import asyncio
import gzip
import inspect
import subprocess
import sys
import threading
import tracemalloc
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime, timedelta, timezone
from functools import partial
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from time import monotonic
from typing import Any

import pytest

from mabench.contract.answers import passages_of
from mabench.remote.http_channel import http_factory
from tests.stress.correct import over_http

HERE = Path(__file__).parent
FAULTY = sorted(path.stem for path in HERE.glob("faulty/[!_]*.py"))
CORRECT = sorted(path.stem for path in HERE.glob("correct/[!_]*.py"))
FINDINGS = {
    "lost-write", "double-write", "stale-after-update", "deleted-found", "deleted-on-disk",
    "other-user", "not-as-of", "lost-on-kill", "fails-under-writes", "hangs", "order-changes",
    "grows",
}  # fmt: skip
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)
# Seconds after which a single call hangs. The correct ones take milliseconds.
PATIENCE = 2.0
# What a process that is killed runs: module, folder and the number of the last write.
DIES = """
import os, signal, sys
from functools import partial
from importlib import import_module
memory = import_module(sys.argv[1]).Memory(sys.argv[2])
[memory.add(f"letter {n}") for n in range(int(sys.argv[3]))]
os.kill(os.getpid(), signal.SIGKILL)
"""


class Awaited:
    """A memory of coroutines, called without them."""

    def __init__(self, memory: Any) -> None:
        self.memory = memory

    def __getattr__(self, name: str) -> Callable[..., Any]:
        method = getattr(self.memory, name)
        return lambda *args, **kwargs: asyncio.run(method(*args, **kwargs))


class Examinee:
    """A module of a memory, with the folder in which it is opened."""

    def __init__(self, module: str, folder: Path) -> None:
        self.module = f"tests.stress.{module}"
        self.factory = import_module(self.module).Memory
        self.folder = folder
        self.opened: list[Any] = []
        self.keeps_files = "folder" in inspect.signature(self.factory).parameters

    def open(self) -> Any:
        memory = self.factory(self.folder) if self.keeps_files else self.factory()
        self.opened.append(Awaited(memory) if inspect.iscoroutinefunction(memory.add) else memory)
        return self.opened[-1]

    def close(self) -> None:
        for memory in self.opened:
            memory.close()

    def die(self, writes: int) -> None:
        program = [sys.executable, "-c", DIES, self.module, str(self.folder), str(writes)]
        ended = subprocess.run(program, cwd=HERE.parents[1], check=False, timeout=60)
        assert ended.returncode == -9

    def left_on_disk(self, text: str) -> bool:
        files = [path.read_bytes() for path in self.folder.rglob("*") if path.is_file()]
        packed = [data for data in files if data.startswith(b"\x1f\x8b")]
        every = [*files, *map(gzip.decompress, packed)]
        forms = [text.encode(), text.encode("utf-16-le")]
        return any(form in data for data in every for form in forms)


Script = Callable[[Examinee], bool]  # Whether the fault is to be seen.


def at_once(*calls: Callable[[], object], patience: float = 30.0) -> list[object]:
    """What calls that begin together returned or raised; TimeoutError where one hangs."""
    results: list[object] = [TimeoutError()] * len(calls)
    begin = threading.Barrier(len(calls))

    def run(number: int, call: Callable[[], object]) -> None:
        begin.wait()
        try:
            results[number] = call()
        except Exception as error:
            results[number] = error

    threads = [threading.Thread(target=run, args=pair, daemon=True) for pair in enumerate(calls)]
    end = monotonic() + patience
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(max(0.0, end - monotonic()))
    return [*results]


def hangs(*calls: Callable[[], object]) -> bool:
    return any(isinstance(result, TimeoutError) for result in at_once(*calls, patience=PATIENCE))


def found_after_crowd(examinee: Examinee) -> set[int]:
    """How often texts are found that four clients added at once."""
    memory = examinee.open()
    texts = [f"word{number}" for number in range(160)]

    def add(mine: list[str]) -> None:
        for text in mine:
            memory.add(text)

    at_once(*(lambda client=client: add(texts[client::4]) for client in range(4)))
    memory.ready()
    return {Counter(memory.search(text, 5))[text] for text in texts}


def loses_in_a_crowd(examinee: Examinee) -> bool:
    return 0 in found_after_crowd(examinee)


def doubles_in_a_crowd(examinee: Examinee) -> bool:
    return 2 in found_after_crowd(examinee)


def loses_the_only_text(examinee: Examinee) -> bool:
    memory = examinee.open()
    memory.add("amber locker")
    memory.ready()
    return list(memory.search("amber", 5)) != ["amber locker"]


def lists_too_few(examinee: Examinee) -> bool:
    memory = examinee.open()
    texts = [f"letter {number}" for number in range(6)]
    for text in texts:
        memory.add(text, user="ann")
    memory.ready()
    return sorted(memory.list(user="ann")) != texts


def found_after_reopening(examinee: Examinee) -> Counter[str]:
    memory = examinee.open()
    memory.add("first letter")
    memory.add("second letter")
    memory.close()
    return Counter(examinee.open().search("letter", 5))


def loses_on_close(examinee: Examinee) -> bool:
    return len(found_after_reopening(examinee)) < 2


def doubles_on_opening(examinee: Examinee) -> bool:
    return max(found_after_reopening(examinee).values()) > 1


def doubles_the_fourth(examinee: Examinee) -> bool:
    memory = examinee.open()
    for number in range(4):
        memory.add(f"letter {number}")
    memory.ready()
    return len(memory.search("letter", 9)) != 4


def shows_the_value_before(examinee: Examinee) -> bool:
    memory = examinee.open()
    name = memory.add("locker amber")
    memory.ready()
    memory.search("locker", 5)
    memory.update(name, "locker cobalt")
    memory.ready()
    return list(memory.search("locker", 5)) != ["locker cobalt"]


def finds_what_was_updated_and_deleted(examinee: Examinee) -> bool:
    memory = examinee.open()
    name = memory.add("locker amber")
    memory.update(name, "locker cobalt")
    memory.delete(name)
    memory.ready()
    return bool(memory.search("locker", 5))


def finds_what_was_deleted(examinee: Examinee) -> bool:
    memory = examinee.open()
    memory.delete(id=memory.add("locker amber"))
    memory.ready()
    return bool(memory.search("locker", 5)) and not memory.list()


def finds_of_a_deleted_user(examinee: Examinee) -> bool:
    memory = examinee.open()
    for number in range(3):
        memory.add(f"letter {number}", user="ann")
    memory.delete(user="ann")
    memory.ready()
    return bool(memory.search("letter", 5, user="ann"))


def leaves_on_disk(examinee: Examinee) -> bool:
    memory = examinee.open()
    memory.add("something else")
    name = memory.add("zanzibar is the word")
    assert examinee.left_on_disk("zanzibar") == examinee.keeps_files
    memory.delete(name)
    left = examinee.left_on_disk("zanzibar")
    memory.close()
    return left and examinee.left_on_disk("zanzibar")


def leaks_from_to(owner: str, other: str) -> Script:
    def leaks(examinee: Examinee) -> bool:
        memory = examinee.open()
        memory.add("locker amber", user=owner)
        memory.ready()
        assert memory.search("locker", 5, user=owner) == ["locker amber"]
        return bool(memory.search("locker", 5, user=other))

    return leaks


def leaks_at_once(examinee: Examinee) -> bool:
    memory = examinee.open()
    for user in ("ann", "bob"):
        memory.add(f"locker of {user}", user=user)
    memory.ready()
    for _ in range(20):
        ann, bob = at_once(
            lambda: memory.search("locker", 5, user="ann"),
            lambda: memory.search("locker", 5, user="bob"),
        )
        if (ann, bob) != (["locker of ann"], ["locker of bob"]):
            return True
    return False


def misses_the_same_time(examinee: Examinee) -> bool:
    memory = examinee.open()
    memory.add("locker amber", time=NOON)
    memory.ready()
    return not memory.search("locker", 5, time=NOON)


def drops_the_zone(examinee: Examinee) -> bool:
    memory = examinee.open()
    memory.add("locker amber", time=NOON)
    memory.ready()
    east = (NOON - HOUR).astimezone(timezone(2 * HOUR))
    return bool(memory.search("locker", 5, time=east))


def shows_what_came_later(examinee: Examinee) -> bool:
    memory = examinee.open()
    name = memory.add("locker amber", time=NOON)
    memory.update(name, "locker cobalt", time=NOON + 2 * HOUR)
    memory.ready()
    return list(memory.search("locker", 5, time=NOON + HOUR)) != ["locker amber"]


def loses_on_kill(examinee: Examinee) -> bool:
    examinee.die(3)
    return len(examinee.open().search("letter", 5)) < 3


def fails_while_others_add(examinee: Examinee) -> bool:
    memory = examinee.open()
    memory.add("letter")

    adders = [1, 2]

    def add() -> None:
        try:
            for number in range(40):
                memory.add(f"letter {number}")
        finally:
            adders.pop()

    def search() -> None:
        while adders:
            memory.search("letter", 5)

    return any(isinstance(result, Exception) for result in at_once(add, add, search))


def hangs_with_two_writers(examinee: Examinee) -> bool:
    memory = examinee.open()
    names = [memory.add("letter") for _ in range(10)]
    bob = partial(memory.add, "letter", user="bob")
    return any(hangs(bob, partial(memory.delete, name)) for name in names)


def hangs_after_finding_nothing(examinee: Examinee) -> bool:
    memory = examinee.open()
    memory.search("locker", 5)
    return hangs(lambda: memory.search("locker", 5))


def hangs_after_updates(examinee: Examinee) -> bool:
    memory = examinee.open()
    name = memory.add("locker amber")
    memory.ready()  # What is late may be unknown to updates, too.
    for _ in range(5):
        memory.update(name, "locker cobalt")
    return hangs(lambda: memory.add("another"))


def reorders(examinee: Examinee) -> bool:
    memory = examinee.open()
    for number in range(8):
        memory.add(f"letter {number}")
    memory.ready()
    found = [memory.search("letter", 8) for _ in range(5)]
    return any(one != other for one, other in pairwise(found))


def reorders_on_opening(examinee: Examinee) -> bool:
    memory = examinee.open()
    for number in range(8):
        memory.add(f"letter {number}")
    found = memory.search("letter", 8)
    memory.close()
    return bool(examinee.open().search("letter", 8) != found)


def grows_by(call: Callable[[], object]) -> bool:
    """Whether 50 calls leave more than a megabyte."""
    call()
    tracemalloc.start()
    for _ in range(50):
        call()
    size, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return size > 1 << 20


def grows_by_searches(examinee: Examinee) -> bool:
    memory = examinee.open()
    return grows_by(lambda: memory.search("locker", 5))


def grows_by_deletions(examinee: Examinee) -> bool:
    memory = examinee.open()
    return grows_by(lambda: memory.delete(memory.add("locker amber")))


def grows_on_disk(examinee: Examinee) -> bool:
    memory = examinee.open()
    before = sum(path.stat().st_size for path in examinee.folder.iterdir())
    for _ in range(50):
        memory.search("locker", 5)
    return sum(path.stat().st_size for path in examinee.folder.iterdir()) > before


SCRIPTS: dict[str, Script] = {
    "deleted_found_by_text": finds_what_was_updated_and_deleted,
    "deleted_found_every_second": finds_of_a_deleted_user,
    "deleted_found_tombstone": finds_what_was_deleted,
    "deleted_on_disk_free_pages": leaves_on_disk,
    "deleted_on_disk_gzip": leaves_on_disk,
    "deleted_on_disk_log": leaves_on_disk,
    "deleted_on_disk_utf16": leaves_on_disk,
    "double_write_replay": doubles_on_opening,
    "double_write_retry": doubles_in_a_crowd,
    "double_write_two_indexes": doubles_the_fourth,
    "fails_under_writes_header": fails_while_others_add,
    "fails_under_writes_iteration": fails_while_others_add,
    "fails_under_writes_locked": fails_while_others_add,
    "grows_deleted": grows_by_deletions,
    "grows_queries": grows_by_searches,
    "grows_traces": grows_on_disk,
    "hangs_early_return": hangs_after_finding_nothing,
    "hangs_pool": hangs_after_updates,
    "hangs_two_locks": hangs_with_two_writers,
    "lost_on_kill_behind": loses_on_kill,
    "lost_on_kill_last": loses_on_kill,
    "lost_on_kill_uncommitted": loses_on_kill,
    "lost_write_buffer": loses_the_only_text,
    "lost_write_fiftieth": loses_in_a_crowd,
    "lost_write_first_page": lists_too_few,
    "lost_write_on_close": loses_on_close,
    "lost_write_same_id": loses_in_a_crowd,
    "not_as_of_equal": misses_the_same_time,
    "not_as_of_overwritten": shows_what_came_later,
    "not_as_of_zone": drops_the_zone,
    "order_changes_by_reading": reorders,
    "order_changes_reopen": reorders_on_opening,
    "order_changes_ties": reorders,
    "other_user_at_once": leaks_at_once,
    "other_user_cache": leaks_from_to("ann", "bob"),
    "other_user_case": leaks_from_to("Ann", "ann"),
    "other_user_prefix": leaks_from_to("anna", "ann"),
    "stale_after_update_appends": shows_the_value_before,
    "stale_after_update_cache": shows_the_value_before,
    "stale_after_update_second": shows_the_value_before,
}
# These take files, which of the correct ones SQLite has.
OF_FILES = {loses_on_close, doubles_on_opening, loses_on_kill, reorders_on_opening}


def test_there_are_forty_faults_of_every_name() -> None:
    faults = Counter(import_module(f"tests.stress.faulty.{name}").FAULT for name in FAULTY)
    assert faults.total() == 40
    assert set(faults) == FINDINGS
    assert min(faults.values()) >= 3
    assert sorted(SCRIPTS) == FAULTY


@pytest.mark.parametrize("name", FAULTY)
def test_a_module_is_named_after_its_fault_and_explains_it(name: str) -> None:
    module = import_module(f"tests.stress.faulty.{name}")
    assert name.replace("_", "-").startswith(module.FAULT)
    what, why = (module.__doc__ or "").strip().split("\n\n")
    assert what.endswith(".")
    assert why.endswith(".")


@pytest.mark.parametrize("name", FAULTY)
def test_a_faulty_memory_shows_its_fault(name: str, tmp_path: Path) -> None:
    with closing(Examinee(f"faulty.{name}", tmp_path)) as examinee:
        assert SCRIPTS[name](examinee)


@pytest.mark.parametrize("script", dict.fromkeys(SCRIPTS.values()))
@pytest.mark.parametrize("name", CORRECT)
def test_a_correct_memory_shows_none(name: str, script: Script, tmp_path: Path) -> None:
    with closing(Examinee(f"correct.{name}", tmp_path)) as examinee:
        if examinee.keeps_files or script not in OF_FILES:
            assert not script(examinee)


@pytest.mark.parametrize("name", CORRECT)
def test_what_is_right_where_the_contract_is_silent(name: str, tmp_path: Path) -> None:
    memory = Examinee(f"correct.{name}", tmp_path).open()

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
