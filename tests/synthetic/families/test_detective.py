import re
from itertools import combinations

import pytest

from mabench.data.schema import RowContent
from mabench.errors import UsageError
from mabench.text import options_in
from mabench_synthetic import GENERATORS, row_specs

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
    for book, row in enumerate(mysteries):
        assert (row.metadata.get("qa_pair_ids") or [])[3] == f"detective_qa_book{book % 3}_no3"
        for question, answers in zip(row.questions, row.answers, strict=True):
            assert question.endswith("\n Output:")
            lettered = [f"{option.letter}. {option.text}" for option in options_in(question)]
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
