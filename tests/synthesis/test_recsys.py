"""Recommendation rows: films liked together in the dialogues are the golds."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import combinations

from rapidfuzz.distance import Levenshtein

from mabench.dataset.schema import Row
from mabench.synthesis import SyntheticRows


def _films(data: SyntheticRows, text: str) -> set[str]:
    """Return the names of all known films that ``text`` mentions with their years."""
    shown = re.compile(r"resource/(.+)_\((\d{4})_film\)")
    names = {name: shown.search(name) for name in data.entities}
    spoken = {n: f"{m[1].replace('_', ' ')} ({m[2]})" for n, m in names.items() if m}
    return {name for name, film in spoken.items() if film in text}


def test_films_that_are_liked_together_leave_exactly_the_golds(data: SyntheticRows) -> None:
    row = next(row for row in data.rows if row.source == "recsys_redial_full")
    tastes: list[set[str]] = []
    for dialogue in row.context.split("\n\n"):
        liked = _films(data, dialogue)
        touching = [taste for taste in tastes if taste & liked]
        tastes = [taste for taste in tastes if not taste & liked] + [liked.union(*touching)]
    for question, golds in zip(row.questions, row.answers, strict=True):
        named = _films(data, question)
        (taste,) = (taste for taste in tastes if taste >= named)
        assert {str(data.entities[film]) for film in taste - named} == set(golds)
        assert 1 <= len(golds) <= 3


def test_the_shape_is_that_of_the_hub(rows_of: Callable[[str], list[Row]]) -> None:
    (row,) = rows_of("recsys_redial_full")
    assert all(q.startswith("\nUser: ") and q.endswith("\nSystem: ") for q in row.questions)
    dialogues = row.context.split("\n\n")
    starts = [f"Dialogue {i}:\nSystem: " for i in range(1, len(dialogues) + 1)]
    assert all(d.startswith(s) for d, s in zip(dialogues, starts, strict=True))


def test_titles_differ_clearly_unless_two_films_share_one(data: SyntheticRows) -> None:
    titles = [name.split("/")[-1].split("_(")[0] for name in data.entities]
    pairs = list(combinations(titles, 2))
    assert sum(a == b for a, b in pairs) == 3
    assert min(Levenshtein.distance(a, b) for a, b in pairs if a != b) >= 2
    assert sorted(data.entities.values()) == list(range(len(data.entities)))


def test_no_gold_has_a_shared_title(data: SyntheticRows) -> None:
    names = {str(i): name.split("/")[-1].split("_(")[0] for name, i in data.entities.items()}
    titles = list(names.values())
    row = next(row for row in data.rows if row.source == "recsys_redial_full")
    assert all(titles.count(names[gold]) == 1 for golds in row.answers for gold in golds)
