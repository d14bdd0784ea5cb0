"""Which letters of options were chosen is counted, and a preference is said in one sentence."""

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.command_line import succeed

_WORDS = ("rye", "oats", "corn", "rice")
_OPTIONS = "\n".join(f"{letter}. {word}" for letter, word in zip("ABCD", _WORDS, strict=True))
_QUESTIONS = [f"What is in sack {n}?\n{_OPTIONS}" for n in range(80)]
_GOLDS = [random.Random(n).choice(_WORDS) for n in range(80)]


def _score(folder: Path, answer: Callable[[int], str]) -> tuple[str, dict[str, Any]]:
    """Score made-up answers; return the remarks of the report, and its source as JSON."""
    row = {"context": "Nobody knows.", "questions": _QUESTIONS, "answers": [[g] for g in _GOLDS]}
    data = folder / "data"
    data.mkdir()
    (data / "sacks.jsonl").write_text(json.dumps({**row, "metadata": {"source": "sacks"}}) + "\n")
    (data / "sources.toml").write_text('[sacks]\nfamily = "choice"\n')
    places = [{"source": "sacks", "row": 0, "question_index": n} for n in range(80)]
    lines = [json.dumps({**place, "prediction": answer(n)}) for n, place in enumerate(places)]
    (folder / "said.jsonl").write_text("\n".join(lines) + "\n")
    words = ("score", "said.jsonl", "--data", "data")
    said = " ".join(succeed(*words, "--full", cwd=folder).stdout.split())
    told = json.loads(succeed(*words, "--format", "json", cwd=folder).stdout)
    return said, told["sources"]["sacks"]


def test_who_always_says_a_is_told_so(tmp_path: Path) -> None:
    said, source = _score(tmp_path, lambda n: "A" if n % 2 else "The answer is A.")
    golds = {letter: _GOLDS.count(word) for letter, word in zip("ABCD", _WORDS, strict=True)}
    letters = source["letters"]
    assert (letters["answers"], letters["golds"]) == (80, golds)
    assert letters["chosen"] == {"A": 80, "B": 0, "C": 0, "D": 0}
    assert letters["p"] < 0.001
    assert "sacks: 80 answers choose A (100 %), B (0 %)" in said
    assert said.count("preference for letters") == 1


def test_who_guesses_is_not(tmp_path: Path) -> None:
    said, source = _score(tmp_path, lambda n: random.Random(n + 1_000).choice(_WORDS))
    assert source["letters"]["p"] > 0.001
    assert "preference for letters" not in said


def test_answers_that_choose_nothing_do_not_count(tmp_path: Path) -> None:
    _, source = _score(tmp_path, lambda n: "I do not know.")
    assert "letters" not in source
