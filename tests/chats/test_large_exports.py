"""An export of any size is imported in bounded memory, as it is read and as it is written."""

import json
import subprocess
import sys
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from mabench.data.chats import ImportOptions, import_chats
from mabench.formats import DateOrder, ReadingOptions

_SAID = "The kettle arrived, and the lid is loose. " * 500  # 21 kB.
_MEGABYTE = 1 << 20


def _json(count: int) -> Iterator[str]:
    for n in range(count):
        message = {"author": "Ana", "text": f"{n} {_SAID}", "time": 1714730400 + 60 * n}
        yield f"{',' if n else '['}{json.dumps(message)}\n"
    yield "]"


def _json_lines(count: int) -> Iterator[str]:
    for n in range(count):
        message = {"author": "Ana", "text": f"{n} {_SAID}", "time": 1714730400 + 60 * n}
        yield f"{json.dumps(message)}\n"


def _table(count: int) -> Iterator[str]:
    yield "author,time,text\n"
    for n in range(count):
        yield f'Ana,{1714730400 + 60 * n},"{n} {_SAID}"\n'


def _whatsapp(count: int) -> Iterator[str]:
    for n in range(count):
        yield f"13/05/2024, {n // 60 % 24:02}:{n % 60:02} - Ana: {n} {_SAID}\n"


def _mail(count: int) -> Iterator[str]:
    for n in range(count):
        yield "From ana@example.org Fri May  3 10:00:00 2024\nFrom: Ana <ana@example.org>\n"
        yield f"Message-ID: <{n}@example.org>\nDate: Fri, 03 May 2024 10:00:00 +0000\n"
        yield f"\n{n} {_SAID}\n\n"


_SHAPES: dict[str, tuple[str, Callable[[int], Iterator[str]]]] = {
    "a.json": ("messages", _json),
    "a.jsonl": ("messages", _json_lines),
    "a.csv": ("table", _table),
    "chat.txt": ("whatsapp", _whatsapp),
    "in.mbox": ("mail", _mail),
}


def _write(file: Path, megabytes: float) -> int:
    """Write an export of about this size; return how many messages it has."""
    count = int(megabytes * _MEGABYTE / len(_SAID))
    with file.open("w", encoding="utf-8") as stream:
        stream.writelines(_SHAPES[file.name][1](count))
    return count


@pytest.mark.parametrize("name", _SHAPES)
def test_no_more_than_a_few_messages_are_in_memory(name: str, tmp_path: Path) -> None:
    options = ImportOptions(
        layout=_SHAPES[name][0],  # To recognize a file, its first 16 MB may be read.
        timezone="UTC",
        reading=ReadingOptions(date_order=DateOrder.DAY_FIRST),
    )
    _write(tmp_path / name, 0.1)
    import_chats([tmp_path / name], tmp_path / "small", options)  # Modules are loaded, too.
    count = _write(tmp_path / name, 5)
    tracemalloc.start()
    try:
        done = import_chats([tmp_path / name], tmp_path / "out", options)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert done.turns == count
    assert peak < 3.5 * _MEGABYTE


_IMPORT = """
import resource, sys
from mabench.data.chats import ImportOptions, import_chats
done = import_chats([sys.argv[1]], sys.argv[2], ImportOptions(timezone="UTC"))
print(done.turns, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


@pytest.mark.slow
def test_300_megabytes_take_no_more_memory_than_30(tmp_path: Path) -> None:
    peaks = []
    for megabytes in (30, 300):
        count = _write(tmp_path / "a.json", megabytes)
        words = [str(tmp_path / "a.json"), str(tmp_path / f"out-{megabytes}")]
        command = [sys.executable, "-c", _IMPORT, *words]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        turns, peak = map(int, done.stdout.split())
        assert turns == count
        peaks.append(peak)
    assert peaks[1] < peaks[0] + 20_000, "in kilobytes"
