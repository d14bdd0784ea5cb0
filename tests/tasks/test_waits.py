"""What is waited for is said in words, and noted for a process that cannot ask."""

import os
import re
from pathlib import Path

from mabench.tasks.waits import Waits


def noted(file: Path) -> list[str]:
    """Return the moment and the words that are noted, as the watchdog reads them."""
    return file.read_bytes().partition(b"\0")[0].decode().splitlines()


def test_the_oldest_wait_is_named_and_the_others_are_counted() -> None:
    waits = Waits()
    assert waits.describe() == "what is under way"
    with waits.waiting_for("the first answer"):
        with waits.waiting_for("the second"), waits.waiting_for("the third"):
            assert re.fullmatch(r"the first answer, for \d+ s and 2 more", waits.describe())
        assert re.fullmatch(r"the first answer, for \d+ s", waits.describe())
    assert waits.describe() == "what is under way"


def test_the_oldest_wait_is_noted_while_it_lasts(tmp_path: Path) -> None:
    waits, file = Waits(), tmp_path / "notes"
    with file.open("wb") as notes, waits.waiting_for("a very long first answer"):
        with waits.written_to(notes.fileno()):
            assert noted(file)[1] == "a very long first answer"
            with waits.waiting_for("the second"):
                assert noted(file)[1] == "a very long first answer"
        os.ftruncate(notes.fileno(), 0)
    assert not noted(file), "nothing is written after the block"
    with file.open("wb") as notes, waits.written_to(notes.fileno()):
        assert noted(file) == ["0.0", "what is under way"]
