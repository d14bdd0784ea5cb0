import re
from collections import Counter

import pytest

from mabench.data.schema import Row
from mabench_synthetic import make_rows, row_specs
from mabench_synthetic.world import RELATIONS, shared_words
from tests.synthetic.families.knob_scores import Turned, score
from tests.synthetic.small import RowsOf
from tests.synthetic.wordings import pattern, read

Ledger = dict[tuple[str, str], list[str]]


def _ledger(context: str) -> Ledger:
    """Read every statement; the values of a subject and relation in the order of serials."""
    header, *lines = context.splitlines()
    assert header == "Here is a list of facts:"
    ledger: Ledger = {}
    for serial, line in enumerate(lines):
        number, _, text = line.partition(". ")
        assert number == str(serial)
        found = [
            (relation.name, slots["s"], slots["o"])
            for relation in RELATIONS
            for slots in read(text, relation.statements)
        ]
        assert len(found) == 1, text
        relation, subject, value = found[0]
        ledger.setdefault((relation, subject.lower()), []).append(value)
    return ledger


def _resolve(ledger: Ledger, words: str, last: int = -1) -> str:
    """Return what a name or a phrase stands for, by the statement at ``last``."""
    for relation in RELATIONS:
        for slots in read(words, relation.phrases):
            inner = _resolve(ledger, slots["s"], last)
            if (relation.name, inner.lower()) in ledger:
                return ledger[relation.name, inner.lower()][last]
    return words


def _answer(ledger: Ledger, question: str, last: int = -1) -> str:
    for relation in RELATIONS:
        for slots in read(question, relation.questions):
            subject = _resolve(ledger, slots["s"], last).lower()
            if (relation.name, subject) in ledger:
                return ledger[relation.name, subject][last]
    return "nothing that was ever stated"


def _is_solved(row: Row) -> bool:
    ledger = _ledger(row.context)
    solved = [_answer(ledger, question).lower() for question in row.questions]
    return solved == [answers[0].lower() for answers in row.answers]


@pytest.mark.parametrize("seeds", [range(2), pytest.param(range(2, 52), marks=pytest.mark.slow)])
@pytest.mark.parametrize("hops", ["sh", "mh"])
def test_the_later_serial_answers_every_question(hops: str, seeds: range) -> None:
    for seed in seeds:
        (row,) = make_rows(row_specs(f"factconsolidation_{hops}_6k", seed))
        assert _is_solved(row)
        assert all(len(answers) == 1 for answers in row.answers)


@pytest.mark.parametrize("hops", ["sh", "mh"])
def test_the_first_serial_answers_few_questions(rows_of: RowsOf, hops: str) -> None:
    (row,) = rows_of(f"factconsolidation_{hops}_6k")
    ledger = _ledger(row.context)
    stale = [_answer(ledger, question, last=0).lower() for question in row.questions]
    right = sum(s == a[0].lower() for s, a in zip(stale, row.answers, strict=True))
    assert right <= len(stale) / 2


def test_both_rows_share_a_context_of_the_size_on_the_hub(rows_of: RowsOf) -> None:
    multi, single = rows_of("factconsolidation_mh_6k"), rows_of("factconsolidation_sh_6k")
    assert multi[0].context == single[0].context
    assert multi[0].questions != single[0].questions
    assert 300 < multi[0].context.count("\n") < 520
    assert re.search(r"\.\n\Z", multi[0].context)


def test_multi_hop_questions_take_two_to_four_hops(rows_of: RowsOf) -> None:
    (row,) = rows_of("factconsolidation_mh_6k")
    phrases = [pattern(phrase) for relation in RELATIONS for phrase in relation.phrases]

    def depth(words: str) -> int:
        inner = [m["s"] for m in (p.fullmatch(words) for p in phrases) if m]
        return 1 + max(map(depth, inner)) if inner else 0

    hops = set()
    for question in row.questions:
        subjects = [s["s"] for r in RELATIONS for s in read(question, r.questions)]
        hops.add(1 + max(map(depth, subjects)))
    assert hops == {2, 3, 4}


def _made(source: str, **knobs: float) -> Row:
    (row,) = make_rows(row_specs(source, 2, tokens=12_000, questions=30, knobs=knobs))
    return row


def test_conflicts_and_their_distance_are_knobs() -> None:
    def lags(**knobs: float) -> list[int]:
        """How many lines lie between a fact and the one that contradicts it."""
        said: dict[tuple[str, str], int] = {}
        found = []
        lines = _made("factconsolidation_sh_6k", **knobs).context.split("\n")[1:-1]
        for serial, line in enumerate(lines):
            key = next(
                (relation.name, slots["s"].lower())
                for relation in RELATIONS
                for slots in read(line.partition(". ")[2], relation.statements)
            )
            if key in said:
                found.append(serial - said[key])
            said[key] = serial
        return found

    assert lags(conflicts=0) == []
    many, near = lags(conflicts=0.5), lags(conflicts=0.5, distance=0.02)
    assert len(many) > 250
    assert max(near) < 30 < max(many)


@pytest.mark.parametrize("hops", [2, 4])
def test_hops_are_a_knob(hops: int) -> None:
    row = _made("factconsolidation_mh_6k", fewest_hops=hops, most_hops=hops)
    assert _is_solved(row)
    words = sorted(len(question.split()) for question in row.questions)
    assert (words[len(words) // 2] > 14) is (hops == 4)


def test_every_statement_can_be_asked_for_in_its_own_words() -> None:
    for relation in RELATIONS:
        for statement in relation.statements:
            for wordings in (relation.questions, relation.phrases):
                shared = max(shared_words(wording, statement) for wording in wordings)
                assert shared > 0, (statement, wordings)


@pytest.mark.parametrize("tokens", [700, 1_000, 2_000])
def test_the_shortest_histories_have_something_to_contradict(tokens: int) -> None:
    for seed in range(3):
        (row,) = make_rows(row_specs("factconsolidation_mh_6k", seed, tokens=tokens, questions=2))
        assert len(row.questions) == 2


def test_names_stand_in_chains_as_in_the_real_rows() -> None:
    # In the real rows nine subjects of ten have one relation, more than half of what is stated is
    # contradicted, once, and what a chain begins with stands nowhere else.
    row = _made("factconsolidation_mh_6k", paraphrase=0)
    ledger = _ledger(row.context)
    relations = Counter(subject for _, subject in ledger)
    assert sum(count == 1 for count in relations.values()) > 0.8 * len(relations)
    assert 0.45 < sum(len(values) > 1 for values in ledger.values()) / len(ledger) < 0.7
    assert max(map(len, ledger.values())) == 2
    ends = Counter(value.lower() for values in ledger.values() for value in values)
    starts = [next(s for s in relations if s in question.lower()) for question in row.questions]
    assert sum(ends[start] <= 1 for start in starts) > 0.9 * len(starts)
    golds = Counter(answers[0] for answers in row.answers)
    assert max(golds.values()) <= 0.2 * len(row.questions)


@pytest.mark.slow
def test_chains_are_lost_to_a_search_as_histories_grow() -> None:
    """Ten passages hold all facts of most chains in 8,000 tokens, and of few in 32,000."""
    turned = Turned("factconsolidation_mh_32k", [{}], 10, tokens=8_000, questions=40)
    short = score(turned, {}, range(3))
    long = score(turned._replace(tokens=32_000), {}, range(3))
    assert short > 60
    assert long < 25
