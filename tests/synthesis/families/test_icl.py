"""In-context learning rows: labels follow from the demonstrations alone."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

import pytest

from mabench.data.schema import RowContent
from mabench.errors import UsageError
from mabench.synthesis import GENERATORS, RowSpec, row_specs
from mabench.synthesis.families.icl.intents import ASSISTANT, BANK, HOUSE, Intents
from mabench.synthesis.families.icl.questions import QUESTIONS
from mabench.synthesis.language.english import with_article

Classes = Mapping[str, Sequence[str]]


def _of_intents(intents: Intents) -> Classes:
    """Return every core text of every class, with its object in place."""
    return {
        f"{thing}/{action}": [
            wording.replace("{o}", name).replace("{a}", with_article(name))
            for name in names
            for wording in wordings
        ]
        for thing, names in intents.objects.items()
        for action, wordings in intents.actions.items()
    }


FINE = {f"{c}/{f}": w for c, types in QUESTIONS.items() for f, w in types.items()}
COARSE = {c: [w for words in types.values() for w in words] for c, types in QUESTIONS.items()}
SETS: dict[str, tuple[Classes, int]] = {
    "icl_banking77_5900shot_balance": (_of_intents(BANK), 77),
    "icl_clinic150_7050shot_balance": (_of_intents(ASSISTANT), 150),
    "icl_nlu_8296shot_balance": (_of_intents(HOUSE), 68),
    "icl_trec_coarse_6600shot_balance": (COARSE, 6),
    "icl_trec_fine_6400shot_balance": (FINE, 50),
}
_GUESS = r"[\w ]+?"


class _Solver:
    """Knows the wordings of every class: the longest that stands in a text decides."""

    def __init__(self, classes: Classes) -> None:
        self._cores = [
            (len(core), name, re.compile(self._pattern(core), re.IGNORECASE))
            for name, cores in classes.items()
            for core in cores
        ]
        self._cores.sort(key=lambda core: -core[0])

    @staticmethod
    def _pattern(core: str) -> str:
        parts = re.split(r"\{\w+\}", core.removesuffix("?"))
        return r"\b" + _GUESS.join(map(re.escape, parts)) + r"(?!\w)"

    def class_of(self, text: str) -> str:
        return next(name for _, name, pattern in self._cores if pattern.search(text))


def _demonstrations(row: RowContent) -> list[tuple[str, str]]:
    pairs = [block.rsplit("\nlabel: ", 1) for block in row.context.split("\n\n")]
    return [(text, label) for text, label in pairs]


def _row(source: str, seed: int = 0, tokens: int = 12_000) -> RowContent:
    (spec,) = row_specs(source, seed, tokens=tokens, questions=50)
    return GENERATORS["icl"].make_row(spec)


@pytest.mark.parametrize("source", SETS)
@pytest.mark.parametrize("seed", [0, 1])
def test_a_solver_that_knows_the_wordings_learns_every_label(source: str, seed: int) -> None:
    classes, count = SETS[source]
    solver, row = _Solver(classes), _row(source, seed)
    votes: dict[str, Counter[str]] = defaultdict(Counter)
    for text, label in _demonstrations(row):
        votes[solver.class_of(text)][label] += 1
    learned = {name: of_class.most_common(1)[0][0] for name, of_class in votes.items()}
    assert len(learned) == count == len({*learned.values()})
    assert list(learned.values()) != sorted(learned.values(), key=int)
    solved = [learned[solver.class_of(question)] for question in row.questions]
    assert solved == [answers[0] for answers in row.answers]


@pytest.mark.parametrize("source", SETS)
def test_classes_are_balanced_and_no_test_text_is_shown(source: str) -> None:
    row = _row(source)
    demonstrations = _demonstrations(row)
    counts = Counter(label for _, label in demonstrations)
    assert len(counts) == SETS[source][1]
    assert max(counts.values()) - min(counts.values()) <= 1
    assert len({text for text, _ in demonstrations}) == len(demonstrations)
    assert not {text for text, _ in demonstrations} & set(row.questions)
    assert list(counts) != sorted(counts, key=int)


def test_the_full_rows_have_the_shots_in_their_names() -> None:
    for source in ("icl_nlu_8296shot_balance", "icl_trec_coarse_6600shot_balance"):
        row = _row(source, tokens=103_000)
        assert f"_{len(_demonstrations(row))}shot" in source


def test_knobs_set_classes_shots_and_rare_names() -> None:
    def row(**knobs: float) -> RowContent:
        (spec,) = row_specs(
            "icl_banking77_5900shot_balance", 0, tokens=6_000, questions=10, knobs=knobs
        )
        return GENERATORS["icl"].make_row(spec)

    few = _demonstrations(row(classes=5, shots=40))
    assert len(few) == 40
    assert len({label for _, label in few}) == 5

    def rare(knob: float) -> int:
        return sum("remittance" in text.lower() for text, _ in _demonstrations(row(rare=knob)))

    assert rare(0) == 0 < rare(1)
    with pytest.raises(UsageError, match="has 77"):
        row(classes=78)


def test_a_class_without_enough_texts_is_refused() -> None:
    spec = RowSpec(
        "icl_nlu_8296shot_balance", 0, 0, 3_000_000, 10, {"classes": 1, "shots": 0, "rare": 0}
    )
    with pytest.raises(UsageError, match="no more different texts"):
        GENERATORS["icl"].make_row(spec)
