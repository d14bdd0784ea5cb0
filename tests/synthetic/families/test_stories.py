import contextlib
import re
import subprocess
import sys
from collections.abc import Iterator
from itertools import combinations

import pytest

from mabench.data.schema import Row, RowContent
from mabench.errors import UsageError
from mabench.text import parse_options
from mabench_synthetic import GENERATORS, make_rows, row_specs
from tests.synthetic.wordings import events_told, summarized


def _row(seed: int, tokens: int, questions: int, **knobs: float) -> Row:
    specs = row_specs("eventqa_full", seed, tokens=tokens, rows=1, questions=questions, knobs=knobs)
    (row,) = make_rows(specs)
    return row


def _solved(row: Row) -> Iterator[list[str]]:
    """Yield, for each question, the option that is told first after the last event listed."""
    told = list(events_told(row.context))
    for question in row.questions:
        shown = [summarized(e) for e in re.findall(r"^\d+\. (.+)$", question, re.MULTILINE)]
        reached = told.index(shown[-1])
        options = [option.text for option in parse_options(question)]
        at = {o: told.index(e) for o in options if (e := summarized(o)) in told}
        later = {option: place for option, place in at.items() if place > reached}
        yield [option for option in later if later[option] == min(later.values())]


@pytest.mark.parametrize("seeds", [2, pytest.param(50, marks=pytest.mark.slow)])
def test_reading_the_story_settles_every_question(seeds: int) -> None:
    for seed in range(seeds):
        row = _row(seed, 16_000, 20)
        assert list(_solved(row)) == row.answers, seed


def test_questions_have_the_shape_of_the_hub_and_their_options_the_same_actors() -> None:
    row = _row(0, 9_000, 20)
    assert len(list(events_told(row.context))) > 100
    for i, question in enumerate(row.questions):
        events = [summarized(option.text) for option in parse_options(question)]
        assert len({frozenset((event.actor, event.other)) for event in events}) == 1
        assert len({bool(event.place) for event in events}) == 1
        assert len({event.thing for event in events}) > 1
        head, rest = question.split("\n\n\nBelow is a list of possible subsequent events:\n\n")
        opening, _, shown = head.partition("\n\n")
        assert opening == "These are the events that have already occurred:"
        assert shown.startswith("...\n") is (i >= 5)
        numbers = [int(n) for n in re.findall(r"^(\d+)\. ", shown, re.MULTILINE)]
        assert numbers == list(range(max(1, i - 3), i + 2))
        options, _, task = rest.partition("]\n\n")
        assert len(events) == len({o.text for o in parse_options(question)}) == 6
        assert options.startswith("[")
        assert task.endswith(".")
    first, *later = row.metadata.get("previous_events") or []
    assert first.startswith("1. ")
    assert later == [f"{i}. {answers[0]}" for i, answers in enumerate(row.answers[:-1], start=2)]
    assert all(event in asked for event, asked in zip(later, row.questions[1:], strict=True))


def test_some_wrong_options_did_happen_but_not_next() -> None:
    assert [_happened(seed, 0) for seed in range(3)] == [0, 0, 0]
    assert all(_happened(seed, 3) > 20 for seed in range(3))


_FEW_THINGS = """
from mabench_synthetic import make_rows, row_specs
for seed, things in ((seed, things) for seed in (0, 8, 10) for things in (1, 2)):
    size = {"tokens": 3_000, "rows": 1, "questions": 10, "knobs": {"things": things}}
    (row,) = make_rows(row_specs("eventqa_full", seed, **size))
    assert len(row.questions) == 10
"""


def test_options_of_few_things_are_found_in_a_short_story() -> None:
    """Where all deeds with these things were done, another thing is spoken of."""
    # In a process of its own, since the search for an option could have no end.
    subprocess.run([sys.executable, "-c", _FEW_THINGS], check=True, timeout=60)


def _happened(seed: int, elsewhere: int) -> int:
    """Return how many wrong options the story tells."""
    row = _row(seed, 16_000, 20, elsewhere=elsewhere)
    told = set(events_told(row.context))
    return sum(
        option.text not in answers and summarized(option.text) in told
        for question, answers in zip(row.questions, row.answers, strict=True)
        for option in parse_options(question)
    )


def test_however_short_a_story_it_becomes_a_row_or_an_error() -> None:
    """Short ones have too few things near a question: a row was once sought for ever."""
    for seed in range(12):
        for tokens in (150, 400, 1_000):
            with contextlib.suppress(UsageError):
                row = _row(seed, tokens, 3)
                assert tokens > 150
                assert all(len(set(parse_options(question))) == 6 for question in row.questions)


def test_the_length_that_a_short_story_asks_for_is_enough() -> None:
    for tokens, questions in ((200, 20), (1_000, 100)):
        with pytest.raises(UsageError, match="at most that many, or for") as refused:
            _row(0, tokens, questions)
        enough = int(str(refused.value).split()[-2].replace(",", ""))
        assert len(_row(0, enough, questions).questions) == questions


# What moves a thing, or sets somebody on a course or against another.
_DECISIVE = {"resolve", "find", "buy", "steal", "give", "hide", "quarrel", "arrive"}


def _rows(seed: int, rows: int = 1) -> list[Row]:
    specs = row_specs("infbench_sum_eng_shots2", seed, tokens=6_000, questions=1, rows=rows)
    return list(make_rows(specs))


@pytest.mark.parametrize("seeds", [2, pytest.param(50, marks=pytest.mark.slow)])
def test_over_seeds_key_points_are_different_decisive_events_in_the_order_of_the_story(
    seeds: int,
) -> None:
    for seed in range(300, 300 + seeds):
        (row,) = _rows(seed)
        told, at = list(events_told(row.context)), -1
        for event in map(summarized, row.metadata.get("keypoints") or []):
            assert event.kind in _DECISIVE
            at = told.index(event, at + 1)


def test_the_reference_is_one_summary_of_the_length_asked_for_with_both_shots() -> None:
    one, other = _rows(0, rows=2)
    assert one.context != other.context
    for row in (one, other):
        ((summary,),) = row.answers
        asked = re.search(r"in about (\d+) to (\d+) words", row.questions[0])
        assert asked
        assert int(asked[1]) * 0.8 <= len(summary.split()) <= int(asked[2]) * 1.2
        points = row.metadata.get("keypoints") or []
        assert len(points) >= 15
        assert all(point in summary for point in points)
        demo = str(row.metadata.get("demo"))
        assert demo.count("[story text]\nSummary: The story is set in ") == 2
        assert demo in row.questions[0]
        assert summary not in row.questions[0]


_FEET = {
    "Boots studded with nails": ("studded with nails", "nailed boots"),
    "Boots with smooth soles": ("smooth soles", "as smooth as paper"),
    "Felt slippers": ("felt slippers",),
    "Riding boots": ("riding boots",),
}
_CLEARING = (
    *("the use of the right hand", "shoes that leave no marks of nails"),
    "the word of a companion",
)
_ALONE = ("nobody was with me", "been seen by none")


@pytest.fixture(
    scope="module", params=[range(2), pytest.param(range(2, 50), marks=pytest.mark.slow)]
)
def mysteries(request: pytest.FixtureRequest) -> list[RowContent]:
    return [
        GENERATORS["detective"].make_row(spec)
        for seed in request.param
        for spec in row_specs("detective_qa", seed, tokens=6_000, rows=3, questions=10)
    ]


def _suspects(text: str) -> list[str]:
    guests = re.search(r"They were (.+?)\. What", text)
    assert guests
    return re.split(r", | and ", guests[1])


def _spoken_of(text: str, name: str, *signs: str) -> bool:
    about = (paragraph for paragraph in text.split("\n\n") if name in paragraph)
    return any(sign in paragraph for paragraph in about for sign in signs)


def _marked(text: str, *signs: str) -> set[str]:
    return {name for name in _suspects(text) if _spoken_of(text, name, *signs)}


def _traced(text: str) -> tuple[set[str], set[str], set[str]]:
    """Return who is left-handed, who wears nailed boots and who was alone."""
    nailed = _marked(text, *_FEET["Boots studded with nails"])
    return _marked(text, "the left hand"), nailed, _marked(text, *_ALONE)


def _gold(row: RowContent, start: str, end: str = "") -> tuple[str, str]:
    """Return what a question asks about between ``start`` and ``end``, and the text of its gold."""
    for question, answers in zip(row.questions, row.answers, strict=True):
        asked = question.partition("Now Answer the Question:  ")[2].partition("\n")[0]
        if asked.startswith(start):
            return asked.removeprefix(start).removesuffix(end), answers[0][3:]
    raise AssertionError(start)


def test_the_clues_leave_one_murderer_with_a_motive(mysteries: list[RowContent]) -> None:
    for row in mysteries:
        text = row.context
        left_handed, nailed, alone = _traced(text)
        (culprit,) = left_handed & nailed & alone
        assert _gold(row, "Who killed")[1] == culprit
        # Every clue is needed: without any one of them somebody else fits as well.
        for one, other in combinations((left_handed, nailed, alone), 2):
            assert len(one & other) == 2
        motive = _gold(row, "What lay between")[1]
        assert _spoken_of(text, culprit, motive[0].lower() + motive[1:])
        # The note is of the left-handed owner of green ink.
        green = _marked(text, "green ink")
        (writer,) = green & left_handed
        assert len(green) == 2
        assert _gold(row, "Who wrote")[1] == writer


def test_what_is_asked_is_as_stated(mysteries: list[RowContent]) -> None:
    for row in mysteries:
        clock = re.search(r"stopped at (\d+):(\d+)\. It had always been (\d+)", row.context)
        assert clock
        hours, minutes, fast = map(int, clock.groups())
        true = 60 * hours + minutes - fast
        assert _gold(row, "At what time")[1] == f"{true // 60}:{true % 60:02d}"
        name, spot = _gold(row, "Where was ", " at the time?")
        assert _spoken_of(row.context, name, spot[0].lower() + spot[1:])
        name, company = _gold(row, "Who was with ", " at the time?")
        assert _spoken_of(row.context, name, f"with {company}")
        # Whom a single sign clears.
        signs = dict(zip(_CLEARING, _traced(row.context), strict=True))
        sign, gold = _gold(row, "Who is cleared by ", " alone?")
        cleared = {
            name
            for name in _suspects(row.context)
            if [other for other, those in signs.items() if name not in those] == [sign]
        }
        assert cleared == {gold}
        name, worn = _gold(row, "What did ", " wear on the feet?")
        assert [k for k in _FEET if _spoken_of(row.context, name, *_FEET[k])] == [worn]
        name, ink = _gold(row, "In what did ", " write?")
        inks = ("Green ink", "Black ink", "Violet ink", "Red ink")
        told = [i for i in inks if _spoken_of(row.context, name, f"{i.lower()} ", f"{i.lower()}.")]
        assert told == [ink]


def test_there_are_ten_questions_at_most_shaped_as_on_the_hub(mysteries: list[RowContent]) -> None:
    for row in mysteries:
        assert (row.metadata.get("qa_pair_ids") or [])[3].endswith("_no3")
        for question, answers in zip(row.questions, row.answers, strict=True):
            assert question.endswith("\n Output:")
            lettered = [f"{option.letter}. {option.text}" for option in parse_options(question)]
            assert [line[:2] for line in lettered] == ["A.", "B.", "C.", "D."]
            assert answers[0] in lettered
            assert len(set(lettered)) == 4
    (spec,) = row_specs("detective_qa", 0, tokens=6_000, rows=1, questions=11)
    with pytest.raises(UsageError, match="at most 10 questions"):
        GENERATORS["detective"].make_row(spec)


def test_clues_are_spread_over_a_long_text() -> None:
    (spec,) = row_specs("detective_qa", 0, tokens=40_000, rows=1)
    paragraphs = GENERATORS["detective"].make_row(spec).context.split("\n\n")
    signs = ("hand", "soles", "nailed", "studded", " ink", *_ALONE)
    places = [i / len(paragraphs) for i, p in enumerate(paragraphs) if any(s in p for s in signs)]
    assert min(places) < 0.15
    assert max(places) > 0.85
    assert len({int(10 * place) for place in places}) >= 7
