"""What holds for every gold: wording, envelope and layout change no verdict; both is no answer.

Each property is shown to be false for a rule that is broken.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

import mabench
from mabench.scoring import correct_answer, correct_parts, settle
from mabench.scoring.conflict import Choice
from mabench.scoring.corrected import answer
from mabench.scoring.sameness import same
from mabench.scoring.sameness.wordings import Form, Need, parts_of, wanted_tokens
from mabench.scoring.standing import Standing
from mabench.scoring.tokens import spelling

_VALUES = (
    *("Peru", "New Zealand", "Ann Hale", "The University of Calcutta", "rugby union", "journalist"),
    *("1931", "7 March 1931", "Marta Quill Group", "J. S. Kern", "The Harbour Post", "goaltender"),
    *("14 May 2021", "lemon cake", "Port Varga", "Dynamo Vetlan"),
)
_OTHERS = ("Chile", "Otto Brandt", "volleyball", "1802", "Lyon", "Sven Olsson")
_QUESTION = "What does the list say?"
_SHAPES = (
    *("{0}", "{0}.", "**{0}**", '"{0}"', "Answer: {0}", "It is {0}.", "The answer is **{0}**."),
    *('{{"answer": "{0}"}}', "\\boxed{{{0}}}", "<think>No.</think>{0}", "```\n{0}\n```"),
    *("The list says {0}.", "According to fact 410, it is {0}.", "- {0}", "I think it is {0}"),
)
_BOTH = (
    *("Fact 4 says {0}. Fact 9 says {1}.", "Fact 4 says {1}. Fact 9 says {0}.", "{0} or {1}"),
    *("The list says both {0} and {1}.", "Either {1} or {0}.", "- {0}\n- {1}", "{1}\n{0}"),
    "Two answers:\n\n1. **Fact 4** says it is **{0}**.\n2. **Fact 9** says it is **{1}**.",
    "One fact says {0}, another says {1}. So the facts contradict each other.",
    "It is {0} according to fact 4 and {1} according to fact 9.",
    "Fact 4 says {0} and fact 9 says {1}.",
    "According to fact 4 it is {1} and according to fact 9 it is {0}.",
    "The facts contradict each other: one says {0}, the other {1}.",
    "The list gives two: {1} and {0}.",
)
_CHOSEN = (
    *(
        "Fact 4 says {1}. Fact 9 says {0}. So {0}.",
        "Fact 4 says {1}, but the later fact 9 says {0}.",
    ),
    *("{0}, not {1}", "Not {1} but {0}", "{0} (previously {1})", "{1}... wait, the answer is {0}."),
    "Fact 4 says {1}. Fact 9 says {0}. Fact 9 is the newest, so it holds.",
    "{0}\n\nFact 4 says {1}, but fact 9 is newer.",
    "It was {1} in fact 4, but fact 9 changed this to {0}.",
    "Fact 4 says {1}, fact 9 says {0}, so {0}.",
)
_ASIDE = ("{1}, a rival of {0}", "{1} (the successor of {0})", "{1}, formerly the home of {0}")
_ALIKE = {
    "United States of America": ("United States", "the US", "U.S.", "American", "USA"),
    "British Broadcasting Corporation": ("BBC", "the BBC"),
    "World War II": ("WWII", "the Second World War", "World War 2"),
    "Soviet Union": ("USSR", "the Union of Soviet Socialist Republics"),
    "University of Calcutta": ("Calcutta University", "the University of Calcutta"),
    "Olsson Motors Inc.": ("Olsson Motors", "Olsson Motors, Inc."),
    "Matthew Olav Brandt": (
        "Matt Brandt",
        "M. O. Brandt",
        "Brandt, Matthew Olav",
        "Matthew Brandt",
    ),
    "Lyon, France": ("Lyon", "in Lyon"),
    "September 2022": ("Sept 2022", "Sept. of 2022", "September, 2022"),
    "Quill (band)": ("Quill", "the band Quill"),
    "Buddhism": ("a Buddhist", "Buddhist"),
}


def _wrapped(gold: str) -> Iterator[tuple[str, str]]:
    for shape in _SHAPES:
        yield gold, shape.format(gold)


def _alike(gold: str) -> Iterator[tuple[str, str]]:
    for wording in _ALIKE[gold]:
        yield gold, wording
        yield gold, f"It is {wording}."


def _lists() -> Iterator[tuple[str, str]]:
    for gold in ("Denmark, Iceland and Norway", "lamp; rope; tent", "Ann Hale and Otto Brandt"):
        for order in permutations(parts_of(gold)):
            yield gold, ", ".join(order)
            yield gold, "\n".join(f"- {part}" for part in order)
            yield gold, "They are " + ", ".join(order[:-1]) + f" and {order[-1]}."


def _all_right(cases: Iterator[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return the cases that are not read as right."""
    return [(g, said) for g, said in cases if correct_answer(said, [g], _QUESTION).value != 1]


def _accepted(templates: tuple[str, ...], gold: str) -> list[str]:
    """Return what is read as right of texts that name the gold and another value."""
    said = [shape.format(gold, other) for shape in templates for other in _others(gold)]
    return [text for text in said if correct_answer(text, [gold], _QUESTION).value == 1]


def _others(gold: str) -> list[str]:
    """Return values of the kind of a gold: a name for a name, a number for a number."""
    kind = (gold[0].isdigit(), gold[0].isupper())
    return [other for other in _OTHERS if (other[0].isdigit(), other[0].isupper()) == kind]


@pytest.mark.parametrize("gold", _VALUES)
def test_no_envelope_changes_a_verdict(gold: str) -> None:
    assert _all_right(_wrapped(gold)) == []


@pytest.mark.parametrize("gold", _ALIKE)
def test_what_is_the_same_alone_is_the_same_in_a_sentence(gold: str) -> None:
    assert _all_right(_alike(gold)) == []


def test_a_list_may_come_in_any_order_and_layout() -> None:
    assert _all_right(_lists()) == []
    for missing in ("Denmark and Norway", "Iceland", "Sweden"):
        assert correct_answer(missing, ["Denmark, Iceland and Norway"], _QUESTION).value != 1
    assert correct_parts("the tent", ["lamp; rope; tent"], _QUESTION).value == pytest.approx(1 / 3)


@pytest.mark.parametrize("gold", _VALUES)
def test_both_values_without_a_choice_are_wrong(gold: str) -> None:
    assert _accepted(_BOTH, gold) == []


@pytest.mark.parametrize("gold", _VALUES)
def test_a_choice_between_both_values_counts(gold: str) -> None:
    said = [shape.format(gold, other) for shape in _CHOSEN for other in _others(gold)]
    assert _all_right((gold, text) for text in said if len(text) > len(gold)) == []
    turned = [shape.format(other, gold) for shape in _CHOSEN for other in _others(gold)]
    assert [t for t in turned if correct_answer(t, [gold], _QUESTION).value == 1] == []


@pytest.mark.parametrize("gold", [value for value in _VALUES if value[0].isupper()])
def test_what_only_explains_another_value_is_no_answer(gold: str) -> None:
    assert _accepted(_ASIDE, gold) == []


_BROKEN: dict[str, tuple[Any, str, Any, Callable[[], list[Any]]]] = {
    "everything is settled on": (
        *(answer, "settles_on", lambda *arguments: Choice.GOLD),
        lambda: _accepted(_BOTH, "Peru"),
    ),
    "no frame is compared": (
        *(settle, "_are_opposed", lambda *arguments: False),
        lambda: _accepted(_BOTH, "Peru"),
    ),
    "nothing stands beside": (
        *(settle, "_beside", lambda *arguments: []),
        lambda: _accepted(_BOTH, "Peru"),
    ),
    "nothing is rejected": (
        *(answer, "standing_asked", lambda *arguments: Standing.ASSERTED),
        lambda: _accepted(("It is not {0}.",), "Peru"),
    ),
    "no clause takes up the question": (
        *(settle, "_by_order", lambda *arguments: Choice.GOLD),
        lambda: _accepted(("{1}, next after {0}",), "Peru"),
    ),
    "a gold has one wording": (
        *(same, "forms", lambda gold, question: (_whole(gold),)),
        lambda: _all_right(_alike("Lyon, France")),
    ),
    "no gold is a list": (answer, "parts_of", lambda gold: [], lambda: _all_right(_broken_lists())),
}


def _whole(gold: str) -> Form:
    said = wanted_tokens(gold)
    return Form(said, (Need.MUST,) * len(said))


def _broken_lists() -> Iterator[tuple[str, str]]:
    yield "Denmark, Iceland and Norway", "Norway; Denmark; Iceland"


@pytest.mark.parametrize("name", _BROKEN)
def test_a_broken_rule_breaks_a_property(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    module, attribute, broken, failures = _BROKEN[name]
    assert failures() == []
    monkeypatch.setattr(module, attribute, broken)
    assert failures() != []


def test_the_properties_hold_for_the_golds_of_the_benchmark(real_data: Path) -> None:
    rows = list(mabench.load(real_data / "mab-dev").rows())
    facts = next(row for row in rows if row.metadata["source"] == "factconsolidation_sh_32k")
    cases = [(q, golds[0]) for q, golds in zip(facts.questions, facts.answers, strict=True)]
    misread, accepted = [], []
    for (question, gold), (_, other) in zip(cases, cases[1:] + cases[:1], strict=True):
        wrapped = [shape.format(gold) for shape in _SHAPES]
        misread += [x for x in wrapped if correct_answer(x, [gold], question).value != 1]
        if set(spelling(gold)) & set(spelling(other)) or gold[0].isupper() != other[0].isupper():
            continue
        both = [shape.format(gold, other) for shape in _BOTH]
        accepted += [x for x in both if correct_answer(x, [gold], question).value == 1]
    assert misread == []
    assert accepted == []
