"""What holds for every gold: wording, envelope and layout change no verdict; both is no answer.

Each property is shown to be false for a rule that is broken.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from itertools import islice, permutations
from pathlib import Path
from typing import Any

import pytest

import mabench
from mabench.scoring import correct_answer
from mabench.scoring.corrected import answer, rule
from mabench.scoring.lexicon import go_by, sections
from mabench.scoring.sameness import kin, wordings
from mabench.scoring.sameness.same import mentions
from mabench.scoring.sameness.wordings import parts_of
from mabench.scoring.stated import choosing, reading
from mabench.scoring.stated.choosing import Choice, ChosenValue
from mabench.scoring.stated.decisions import DECISIONS, Effect
from mabench.text.stems import content_words
from mabench_external.locomo import CATEGORIES, SOURCE

_VALUES = (
    *("Peru", "New Zealand", "Ann Hale", "The University of Calcutta", "rugby union", "journalist"),
    *("1931", "7 March 1931", "Marta Quill Group", "J. S. Kern", "The Harbour Post", "goaltender"),
    *("14 May 2021", "lemon cake", "Port Varga", "Dynamo Vetlan"),
)
_OTHERS = ("Chile", "Otto Brandt", "volleyball", "1802", "2 June 1802", "Lyon", "Sven Olsson")
_QUESTION = "What does the list say?"
_SHAPES = (
    *("{0}", "{0}.", "**{0}**", '"{0}"', "Answer: {0}", "It is {0}.", "The answer is **{0}**."),
    *('{{"answer": "{0}"}}', "\\boxed{{{0}}}", "<think>No.</think>{0}", "```\n{0}\n```"),
    '{{"reasoning": "The list has both Quito and 1801.", "answer": "{0}"}}',
    *("The list says {0}.", "According to fact 410, it is {0}.", "- {0}", "I think it is {0}"),
)
# Those that no writer would put around a sentence.
_ENVELOPES = tuple(shape for shape in _SHAPES if "says" not in shape and "fact" not in shape)
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
    "Fact 4 says {1}. Fact 9 says {0}. So {0}.",
    "Fact 4 says {1}, but the later fact 9 says {0}.",
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
    "Matthew Olav Brandt": ("M. O. Brandt", "Brandt, Matthew Olav"),
    "Lyon, France": ("Lyon", "in Lyon"),
    "September 2022": ("Sept 2022", "Sept. of 2022", "September, 2022"),
    "Quill (band)": ("Quill", "the band Quill"),
    "Buddhism": ("a Buddhist", "Buddhist"),
    "wild geese": ("a wild goose", "the wild goose"),
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


def _misread(cases: Iterator[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return the cases that are not read as right."""
    return [(g, said) for g, said in cases if correct_answer(said, [g], _QUESTION).value != 1]


def _accepted(templates: tuple[str, ...], gold: str) -> list[str]:
    """Return what is read as right of texts that name the gold and another value."""
    said = [shape.format(gold, other) for shape in templates for other in _others(gold)]
    return [text for text in said if correct_answer(text, [gold], _QUESTION).value == 1]


def _others(gold: str) -> list[str]:
    """Return values of the kind of a gold: a name for a name, a date for a date."""
    return [other for other in _OTHERS if _kind(other) == _kind(gold)]


def _kind(value: str) -> tuple[bool, bool, bool]:
    return value[0].isdigit(), value[0].isupper(), value[0].isdigit() and " " in value


@pytest.mark.parametrize("gold", _VALUES)
def test_no_envelope_changes_a_verdict(gold: str) -> None:
    assert _misread(_wrapped(gold)) == []


@pytest.mark.parametrize("gold", _ALIKE)
def test_what_is_the_same_alone_is_the_same_in_a_sentence(gold: str) -> None:
    assert _misread(_alike(gold)) == []


def test_a_list_may_come_in_any_order_and_layout() -> None:
    assert _misread(_lists()) == []
    for missing in ("Denmark and Norway", "Iceland", "Sweden"):
        assert correct_answer(missing, ["Denmark, Iceland and Norway"], _QUESTION).value != 1
    shared = correct_answer("the tent", ["lamp; rope; tent"], _QUESTION, shares=True)
    assert shared.value == pytest.approx(1 / 3)


@pytest.mark.parametrize("gold", _VALUES)
def test_both_values_without_a_choice_are_wrong(gold: str) -> None:
    assert _accepted(_BOTH, gold) == []


@pytest.mark.parametrize("gold", _VALUES)
def test_a_choice_between_both_values_counts(gold: str) -> None:
    said = [shape.format(gold, other) for shape in _CHOSEN for other in _others(gold)]
    verdicts = [correct_answer(text, [gold], _QUESTION).verdict for text in said]
    assert "wrong" not in verdicts
    assert verdicts.count("unclear") <= 0.2 * len(verdicts)
    turned = [shape.format(other, gold) for shape in _CHOSEN for other in _others(gold)]
    assert [t for t in turned if correct_answer(t, [gold], _QUESTION).value == 1] == []


@pytest.mark.parametrize("gold", [value for value in _VALUES if value[0].isupper()])
def test_what_only_explains_another_value_is_no_answer(gold: str) -> None:
    assert _accepted(_ASIDE, gold) == []


_NO_DENIAL = tuple(one for one in DECISIONS if one.effect is not Effect.DENIES)
_NO_CHOICE = tuple(one for one in DECISIONS if one.effect is not Effect.CHOOSES)
_BROKEN: dict[str, tuple[Any, str, Any, Callable[[], list[Any]]]] = {
    "everything is settled on": (
        *(answer, "choose", lambda line: Choice(ChosenValue.GOLD, ())),
        lambda: _accepted(_BOTH, "Peru"),
    ),
    "no other value is seen": (
        *(reading, "_find_rivals", lambda *arguments: iter(())),
        lambda: _accepted(_BOTH, "Peru"),
    ),
    "nothing is taken back": (
        *(choosing, "DECISIONS", _NO_DENIAL),
        lambda: _accepted(("It is not {0}.",), "Peru"),
    ),
    "nothing is chosen": (
        *(choosing, "DECISIONS", _NO_CHOICE),
        lambda: _misread(_wrapped("Peru")),
    ),
    "no envelope is opened": (
        *(rule, "final_answer", lambda text: (text, False)),
        lambda: _misread(_wrapped("Peru")),
    ),
    "a gold has one name": (
        *(wordings, "_alike", dict),
        lambda: _misread(_alike("Soviet Union")),
    ),
    "all of a gold must be said": (
        *(wordings, "_key_words", lambda gold: list(wordings.wanted_tokens(gold))),
        lambda: _misread(_alike("Lyon, France")),
    ),
    "no word has other forms": (
        *(kin, "same_word", lambda wanted, said, named=False: wanted == said),
        lambda: _misread(_alike("wild geese")),
    ),
    "no gold is a list": (answer, "parts_of", lambda gold: [], lambda: _misread(_lists())),
}


@pytest.mark.parametrize("name", _BROKEN)
def test_a_broken_rule_breaks_a_property(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    module, attribute, broken, failures = _BROKEN[name]
    assert failures() == []
    monkeypatch.setattr(module, attribute, broken)
    with go_by(sections()):  # Which forgets what was read by the rule as it is.
        assert failures() != []


def test_both_facts_of_the_benchmark_without_a_choice_are_wrong(real_data: Path) -> None:
    rows = list(mabench.load(real_data / "mab-dev").rows())
    facts = next(row for row in rows if row.metadata["source"] == "factconsolidation_sh_32k")
    cases = [(q, golds[0]) for q, golds in zip(facts.questions, facts.answers, strict=True)]
    accepted, asked = [], 0
    for (question, gold), (likewise, other) in islice(permutations(cases, 2), 0, None, 3):
        known = content_words(f"{gold} {question}")
        if question.split()[:4] != likewise.split()[:4] or known & content_words(other):
            continue  # Not of one kind.
        if mentions(gold, other) or mentions(other, gold):
            continue  # One thing.
        both = [shape.format(gold, other) for shape in _BOTH]
        accepted += [x for x in both if correct_answer(x, [gold], question).value == 1]
        asked += len(both)
    assert asked > 400
    assert accepted == []


@pytest.mark.parametrize("step", [25, pytest.param(1, marks=pytest.mark.slow)])
def test_no_envelope_changes_the_verdict_of_a_gold_at_hand(parity: Path, step: int) -> None:
    cases: dict[tuple[str, str, str], tuple[Any, list[str], str | None]] = {
        (case["source"], case["question"], answers[0]): (case["source"], answers, None)
        for line in (parity / "official_scores.jsonl").read_text(encoding="utf-8").splitlines()
        if (answers := (case := json.loads(line))["answers"]) and case["question"]
        if not case["source"].startswith(("recsys", "infbench", "longmemeval"))
    }
    talks = parity.parent / "data" / "external" / "locomo-dev.json"
    for talk in json.loads(talks.read_text(encoding="utf-8")) if talks.exists() else ():
        for case in talk["qa"]:
            if CATEGORIES[case["category"]] != "adversarial":
                gold, kind = str(case["answer"]), CATEGORIES[case["category"]]
                cases[SOURCE.name, case["question"], gold] = (SOURCE, [gold], kind)
    misread = [
        (gold, shape)
        for (_, question, gold), (source, golds, kind) in islice(cases.items(), 0, None, step)
        for shape in (_SHAPES if str(source).startswith("fact") else _ENVELOPES)
        if (said := shape.format(gold if '{{"' not in shape else json.dumps(gold)[1:-1]))
        if mabench.score_answer(source, said, golds, question, question_type=kind).verdict
        != "right"
    ]
    assert misread == []
