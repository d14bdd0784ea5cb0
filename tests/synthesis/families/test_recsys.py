"""Recommendation rows: films liked together in the dialogues are the golds."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations

from rapidfuzz.distance import Levenshtein

from mabench.data.schema import Row
from mabench.synthesis import GENERATORS, row_specs
from mabench.synthesis.families.recsys.catalogue import FilmCatalogue, entity_name
from mabench.synthesis.families.recsys.generator import catalogue_of
from tests.synthesis.small import SmallData

_make_row = GENERATORS["recsys"].make_row
(SPEC,) = row_specs("recsys_redial_full", 0, tokens=18_000, questions=20)


def _names(text: str, catalogue: FilmCatalogue) -> set[str]:
    """Return the entities of all films that ``text`` mentions with their years."""
    films = (film for circle in catalogue.circles for film in circle.films)
    return {entity_name(film) for film in films if str(film) in text}


def test_a_solver_that_knows_the_circles_names_exactly_the_golds() -> None:
    row, catalogue = _make_row(SPEC), catalogue_of(SPEC)
    circles = [{entity_name(film) for film in circle.films} for circle in catalogue.circles]
    for question, golds in zip(row.questions, row.answers, strict=True):
        named = _names(question, catalogue)
        circle = max(circles, key=lambda films: len(films & named))
        assert {str(catalogue.entities[film]) for film in circle - named} == set(golds)
        assert 1 <= len(golds) <= 3


def test_films_of_a_circle_are_mentioned_together_more_than_others() -> None:
    row, catalogue = _make_row(SPEC), catalogue_of(SPEC)
    dialogues = [_names(text, catalogue) for text in row.context.split("\n\n")]
    circles = [{entity_name(film) for film in circle.films} for circle in catalogue.circles]
    largest = [max(len(circle & named) for circle in circles) for named in dialogues]
    assert min(largest) >= 4
    assert all(any(film in named for named in dialogues) for c in circles for film in c)


def test_noise_is_a_knob() -> None:
    def mentions(noise: float) -> int:
        (spec,) = row_specs(
            "recsys_redial_full", 0, tokens=18_000, questions=5, knobs={"noise": noise}
        )
        return _make_row(spec).context.count("Something else?")

    assert mentions(0) == 0 < mentions(0.9)


def test_rows_of_one_seed_share_their_catalogue() -> None:
    one, other = row_specs("recsys_redial_full", 3, tokens=10_000, questions=5, rows=2)
    assert catalogue_of(one) == catalogue_of(other)
    assert _make_row(one).context != _make_row(other).context
    assert not {*(_make_row(one).metadata.qa_pair_ids or [])} & {
        *(_make_row(other).metadata.qa_pair_ids or [])
    }


def test_the_shape_is_that_of_the_hub(rows_of: Callable[[str], list[Row]]) -> None:
    (row,) = rows_of("recsys_redial_full")
    assert all(q.startswith("\nUser: ") and q.endswith("\nSystem: ") for q in row.questions)
    dialogues = row.context.split("\n\n")
    starts = [f"Dialogue {i}:\nSystem: " for i in range(1, len(dialogues) + 1)]
    assert all(d.startswith(s) for d, s in zip(dialogues, starts, strict=True))


def test_titles_differ_clearly_unless_two_films_share_one(data: SmallData) -> None:
    titles = [name.split("/")[-1].split("_(")[0] for name in data.entities]
    pairs = list(combinations(titles, 2))
    assert sum(a == b for a, b in pairs) >= 1
    assert min(Levenshtein.distance(a, b) for a, b in pairs if a != b) >= 2
    assert sorted(data.entities.values()) == list(range(len(data.entities)))


def test_no_gold_has_a_shared_title(data: SmallData) -> None:
    names = {str(i): name.split("/")[-1].split("_(")[0] for name, i in data.entities.items()}
    titles = list(names.values())
    row = next(row for row in data.rows if row.source == "recsys_redial_full")
    assert all(titles.count(names[gold]) == 1 for golds in row.answers for gold in golds)
