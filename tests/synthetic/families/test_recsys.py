import ast
import re
from collections import Counter
from collections.abc import Container, Iterator
from datetime import date, datetime
from functools import cache
from itertools import combinations, pairwise
from statistics import fmean
from typing import Any

import pytest
from rapidfuzz.distance import Levenshtein

from mabench.data.schema import Row
from mabench_synthetic import GENERATORS, make_rows, row_specs
from mabench_synthetic.families.recsys import Film, FilmCatalogue, catalogue_of, entity_name
from mabench_synthetic.generator import RowSpec

_make_row = GENERATORS["recsys"].make_row
_YEAR = re.compile(r"\(\d{4}\)")


def _films(catalogue: FilmCatalogue) -> list[Film]:
    return [film for circle in catalogue.circles for film in circle.films]


@pytest.mark.parametrize("seeds", [5, pytest.param(50, marks=pytest.mark.slow)])
def test_a_reader_of_the_circles_names_exactly_the_golds(seeds: int) -> None:
    """The circle that most of the films named are of is always one, and its others are wanted."""
    for seed in range(seeds):
        _check_golds(row_specs("recsys_redial_full", seed, tokens=6_000, questions=20)[0])


def _check_golds(spec: RowSpec) -> None:
    row, catalogue = _make_row(spec), catalogue_of(spec)
    circles = [{entity_name(film) for film in circle.films} for circle in catalogue.circles]
    for question, golds in zip(row.questions, row.answers, strict=True):
        named = {entity_name(film) for film in _films(catalogue) if str(film) in question}
        most, next_most = sorted((len(films & named) for films in circles), reverse=True)[:2]
        assert most > next_most
        circle = max(circles, key=lambda films: len(films & named))
        assert {str(catalogue.entities[film]) for film in circle - named} == set(golds)
        # No title of a gold is named, with whatever year: nobody wants what was just spoken of.
        wanted = (film for film in _films(catalogue) if entity_name(film) in circle - named)
        assert not any(str(film).rpartition(" (")[0] in question for film in wanted)
        assert 1 <= len(golds) <= 3


def film_ids(spec: RowSpec) -> dict[str, str]:
    catalogue = catalogue_of(spec)
    return {str(film): str(catalogue.entities[entity_name(film)]) for film in _films(catalogue)}


def films_in(text: str, films: Container[str]) -> set[str]:
    """Return those of ``films`` that ``text`` names with their years."""
    ends = (text[max(0, year.start() - 60) : year.end()].split() for year in _YEAR.finditer(text))
    endings = (" ".join(words[-n:]) for words in ends for n in range(2, 7))
    return {ending for ending in endings if ending in films}


def test_dialogues_name_films_as_real_ones_do() -> None:
    """As in 1,000 real dialogues: most films once, few films often, golds that stand nowhere."""
    (spec,) = row_specs("recsys_redial_full", 1, tokens=190_000, questions=100)
    row, ids = _make_row(spec), film_ids(spec)
    spoken = [films_in(text, ids) for text in row.context.split("\n\n")]
    heard = Counter(film for films in spoken for film in films)
    assert 4.5 < fmean(map(len, spoken)) < 5.5
    assert 0.45 < fmean(count == 1 for count in heard.values()) < 0.6
    assert 30 <= max(heard.values()) <= 100
    most = sum(count for _, count in heard.most_common(100))
    assert 0.27 < most / heard.total() < 0.42
    turns = [text.count("\n") for text in row.context.split("\n\n")]
    assert 11 < fmean(turns) < 13.5
    known = {ids[film] for film in heard}
    assert 0.65 < fmean(gold in known for golds in row.answers for gold in golds) < 0.95


def test_rows_share_their_catalogue_and_speak_without_noise_of_one_circle() -> None:
    knobs = {"noise": 0, "circle": 12}
    (spec,) = row_specs("recsys_redial_full", 0, tokens=9_000, questions=5, knobs=knobs)
    catalogue = catalogue_of(spec)
    ids = film_ids(spec)
    circles = [{str(film) for film in circle.films} for circle in catalogue.circles]
    for text in _make_row(spec).context.split("\n\n"):
        assert any(films_in(text, ids) <= films for films in circles)
    one, other = row_specs("recsys_redial_full", 3, tokens=10_000, questions=5, rows=2)
    assert catalogue_of(one) == catalogue_of(other)
    first, second = _make_row(one), _make_row(other)
    assert first.context != second.context
    both = [id_ for row in (first, second) for id_ in row.metadata.get("qa_pair_ids") or []]
    assert len({*both}) == len(both) == 10


def test_the_shape_is_that_of_the_hub_and_golds_have_titles_of_their_own() -> None:
    (spec,) = row_specs("recsys_redial_full", 0, tokens=18_000, questions=20)
    row = _make_row(spec)
    assert all(q.startswith("\nUser: ") and q.endswith("\nSystem: ") for q in row.questions)
    dialogues = row.context.split("\n\n")
    for number, dialogue in enumerate(dialogues, start=1):
        heading, first, *turns = dialogue.split("\n")
        assert heading == f"Dialogue {number}:"
        assert re.match(r"(System|User): \S", first)
        speakers = [turn.partition(":")[0] for turn in [first, *turns]]
        assert all(one != other for one, other in pairwise(speakers))
    # Hardly any two titles are nearly alike, and no gold shares one.
    entities = catalogue_of(spec).entities
    titles = [name.split("/")[-1].split("_(")[0] for name in entities]
    pairs = list(combinations(titles, 2))
    assert sum(a == b for a, b in pairs) >= 1
    near = sum(Levenshtein.distance(a, b, score_cutoff=1) == 1 for a, b in pairs)
    assert near <= len(titles) / 100
    assert sorted(entities.values()) == list(range(len(titles)))
    by_id = dict(zip(map(str, entities.values()), titles, strict=True))
    assert all(titles.count(by_id[gold]) == 1 for golds in row.answers for gold in golds)


_RANKED = r"First of all (\w+).+Second comes (\w+).+there is (\w+)"


@pytest.fixture(
    scope="module", params=[range(2), pytest.param(range(2, 50), marks=pytest.mark.slow)]
)
def rows(request: pytest.FixtureRequest) -> list[Row]:
    return [
        row
        for seed in request.param
        for row in make_rows(row_specs("longmemeval_s*", seed, tokens=20_000, rows=1, questions=24))
    ]


def _moment(stamp: str) -> datetime:
    """Read ``2022/11/17 (Thu) 12:04`` and check the weekday."""
    moment = datetime.strptime(re.sub(r" \(\w+\)", "", stamp), "%Y/%m/%d %H:%M")
    assert f"({['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'][moment.weekday()]})" in stamp
    return moment


@cache
def _sessions(context: str) -> list[tuple[datetime, list[dict[str, Any]]]]:
    literal = ast.literal_eval(context)
    times = [_moment(entry.removeprefix("Chat Time: ")) for entry in literal[::2]]
    return list(zip(times, literal[1::2], strict=True))


def _gold_turns(row: Row, i: int) -> list[tuple[date, str]]:
    """Return the day and the text of the gold turns of a question, in the order of time."""
    sessions = (row.metadata.get("haystack_sessions") or [])[i]
    turns = [turn for session in sessions for turn in session]
    wanted = {turn["content"] for turn in turns if turn.get("has_answer")}
    return [
        (moment.date(), turn["content"])
        for moment, turns in _sessions(row.context)
        for turn in turns
        if turn["has_answer"] and turn["content"] in wanted
    ]


def _asked(rows: list[Row], kind: str) -> Iterator[tuple[str, str, list[tuple[date, str]]]]:
    """Yield the questions of a kind that have an answer, with it and their gold turns."""
    for row in rows:
        for i, question in enumerate(row.flatten()):
            if question.question_type == kind and "_abs" not in (question.question_id or ""):
                yield question.question, question.answers[0], _gold_turns(row, i)


def test_sessions_are_in_order_and_questions_of_all_types_come_after_them(rows: list[Row]) -> None:
    for row in rows:
        moments = [moment for moment, _ in _sessions(row.context)]
        assert moments == sorted(moments)
        dates = row.metadata.get("question_dates") or []
        assert all(_moment(stamp) > moments[-1] for stamp in dates)
        for question, stamp in zip(row.questions, dates, strict=True):
            assert question.startswith(f"Current Date: {stamp},\n\n Now Answer the Question: ")
        assert {*(row.metadata.get("question_types") or [])} == {
            *("single-session-user", "single-session-assistant", "single-session-preference"),
            *("multi-session", "temporal-reasoning", "knowledge-update"),
        }
        ids = row.metadata.get("question_ids") or []
        assert sum(question_id.endswith("_abs") for question_id in ids) == 2
        assert len({*ids}) == len(ids)
        for i, question_id in enumerate(ids):
            assert bool(_gold_turns(row, i)) is not question_id.endswith("_abs")
            if question_id.endswith("_abs"):
                assert row.answers[i][0].startswith("You did not mention this.")
        turns = [turn for _, of_session in _sessions(row.context) for turn in of_session]
        golds = [text for i in range(len(row.questions)) for _, text in _gold_turns(row, i)]
        assert sorted(turn["content"] for turn in turns if turn["has_answer"]) == sorted(golds)
        assert all(list(turn) == ["role", "content", "has_answer"] for turn in turns)


def test_answers_stand_in_the_gold_turns_or_follow_from_them(rows: list[Row]) -> None:
    for role in ("user", "assistant"):
        for question, answer, [(_, said)] in _asked(rows, f"single-session-{role}"):
            assert answer in said
            assert answer not in question
            if role == "assistant":  # Recommendations, which are found by their rank.
                named = re.search(_RANKED, said)
                assert named
                rank = question.rstrip("?").split()[-1]
                assert named[1 + ("first", "second", "third").index(rank)] == answer
    for _, answer, golds in _asked(rows, "multi-session"):
        numbers = [int(re.findall(r"\d+", said)[0]) for _, said in golds]
        assert (len(numbers), answer) == (3, str(sum(numbers)))
    for _, answer, golds in _asked(rows, "knowledge-update"):
        values = [re.findall(r"\d+", said)[0] for _, said in golds]
        assert len({*values}) == 2
        assert re.findall(r"\d+", answer) == values[-1:]
    words = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
    for _, answer, [(first, done), (second, _)] in _asked(rows, "temporal-reasoning"):
        deed = done.removeprefix("Today I ").partition(",")[0]
        days = (second - first).days
        spelled = words[days] if days <= 10 else str(days)
        assert answer in (f"{spelled} day{'s' * (days != 1)}", f"You {deed} first.")
