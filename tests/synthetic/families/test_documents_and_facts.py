import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from statistics import fmean
from typing import Any

import pytest

from mabench.data.schema import Row, RowContent
from mabench.errors import UsageError
from mabench_memories.retrieval import BM25Memory
from mabench_synthetic import GENERATORS, make_rows, row_specs
from mabench_synthetic.families.ruler.encyclopedia import world_for
from mabench_synthetic.generator import random_stream
from mabench_synthetic.language import table
from mabench_synthetic.world import RELATIONS, World, shared_words
from tests.synthetic.wordings import pattern, read

_QA1, _QA2 = "ruler_qa1_197K", "ruler_qa2_421K"
# In the words of the articles and in others, by relation, or by kind and attribute.
_QUESTIONS = (
    {relation.name: relation.questions for relation in RELATIONS},
    *(table("articles", n) for n in ("relations_apart", "attributes", "attributes_apart")),
)
_PHRASES = {r.name: r.phrases for r in RELATIONS}, table("articles", "phrases_apart")
_DESCRIBED = table("articles", "described"), table("articles", "described_apart")
_Reading = tuple[str, dict[str, str]]
_ASIDES = {
    "": [f"{{phrase}}, {one}" for some in table("articles", "in_passing").values() for one in some]
}


def _readings(text: str, *tables: Mapping[str, Sequence[str]]) -> Iterator[_Reading]:
    """Yield what ``text`` can be a wording of, and its slots."""
    for words in tables:
        for name, wordings in words.items():
            yield from ((name, slots) for slots in read(text, wordings))


def _solve(world: World, question: str) -> str:
    """Return what the state of the world says; raises when it says nothing or more than one."""
    asked = _readings(question, *_QUESTIONS)
    found = {_told(world, what, _resolved(world, slots["s"])) for what, slots in asked}
    for what, slots in _readings(question, *_DESCRIBED):
        found |= {world.fames[name] for name in _fitting(world, what.split()[0], slots)}
    for _, named in _readings(question, table("articles", "earlier")):
        found.add(min(named.values(), key=world.dates.__getitem__))
    for relation, named in _readings(question, table("articles", "same")):
        objects = {world.state[relation, name] for name in named.values()}
        found.add("no" if len(objects) > 1 else "yes")
    (answer,) = filter(None, found)
    return answer


def _resolved(world: World, words: str) -> str:
    """Return whom or what a phrase stands for, or the phrase, which is a name."""
    words = words.removesuffix(",")
    words = next((slots["phrase"] for _, slots in _readings(words, _ASIDES)), words)
    inner = ((what, _resolved(world, slots["s"])) for what, slots in _readings(words, *_PHRASES))
    found = {world.state[key] for key in inner if key in world.state}
    for kind, clues in _readings(words, table("articles", "definite")):
        found |= _fitting(world, kind, clues)
    (words,) = found or {words}
    return words


def _fitting(world: World, kind: str, clues: dict[str, str]) -> set[str]:
    names = world.entities[kind]
    return {n for n in names if all(_told(world, what, n) == clues[what] for what in clues)}


def _told(world: World, what: str, name: str) -> str | None:
    """Return a relation or an attribute of a name; None where it has none."""
    kind, _, attribute = what.rpartition(" ")
    if kind and name not in world.entities[kind]:
        return None
    match attribute:
        case "date":
            return f"{world.dates[name].day} {world.dates[name]:%B %Y}"
        case "year":
            return str(world.dates[name].year)
        case "job" | "trade":
            return world.trades.get(name)
        case "fame":
            return world.fames[name]
        case "population":
            return f"{world.populations[name]:,}"
        case "body":
            return name.split()[-1].lower()
    return world.state.get((what, name))


def _row(source: str, seed: int = 0, tokens: int = 9_000, **more: Any) -> tuple[RowContent, World]:
    (spec,) = row_specs(source, seed, tokens=tokens, **more)
    part = "qa1" if source == _QA1 else "qa2"
    world = world_for(random_stream(seed, "ruler", part, 0), spec, part)
    return GENERATORS["ruler"].make_row(spec), world


@pytest.mark.parametrize("source", [_QA1, _QA2])
@pytest.mark.parametrize("seeds", [range(2), pytest.param(range(2, 52), marks=pytest.mark.slow)])
def test_the_state_of_the_world_answers_every_question(source: str, seeds: range) -> None:
    for seed in seeds:
        row, world = _row(source, seed, tokens=20_000, questions=60)
        assert [_solve(world, asked) for asked in row.questions] == [a[0] for a in row.answers]


def test_knobs_set_forms_likeness_wording_and_comparisons() -> None:
    def made(source: str = _QA1, **knobs: float) -> tuple[RowContent, World]:
        return _row(source, questions=40, knobs=knobs)

    assert {len(answers) for answers in made(forms=1)[0].answers} == {2, 3}
    assert {len(answers) for answers in made()[0].answers} == {3, 4}

    def surnames(likeness: float) -> int:
        people = made(likeness=likeness)[1].entities["person"]
        return len({name.split()[-1] for name in people})

    assert surnames(0.9) < surnames(0) / 2

    def apart(paraphrase: float) -> int:
        """How many questions are in words that no article has."""
        others = table("articles", "relations_apart")
        return sum(any(_readings(q, others)) for q in made(paraphrase=paraphrase)[0].questions)

    assert apart(0) == 0 < apart(0.5) < apart(1)

    assert _compared(made(_QA2, compared=0)[0]) == []
    compared = _compared(made(_QA2, compared=1)[0])
    assert {"yes", "no"} < {*compared}
    assert len(compared) == 40


def _compared(row: RowContent) -> list[str]:
    pairs = zip(row.questions, row.answers, strict=True)
    return [a[0] for q, a in pairs if a[0] in q or a[0] in ("yes", "no")]


def test_so_short_a_row_is_refused() -> None:
    sizes = [(_QA1, 0, 300, 100), *((_QA2, seed, 100, 20) for seed in range(3))]
    for source, seed, tokens, questions in sizes:
        with pytest.raises(UsageError, match="a row this short"):
            _row(source, seed, tokens=tokens, questions=questions)


@pytest.mark.parametrize("source", [_QA1, _QA2])
def test_documents_are_numbered_and_titled_as_on_the_hub(source: str) -> None:
    documents = _row(source, questions=25)[0].context.split("\n\n")
    for i, document in enumerate(documents, start=1):
        header, *lines = document.split("\n")
        assert header == f"Document {i}:"
        assert len(lines) == (2 if source == _QA2 else 1)
        assert lines[0].lower() in lines[-1].lower()


def test_a_search_for_two_documents_finds_more_the_deeper_it_looks() -> None:
    """As in real rows, where 58, 82 and 92 of 100 golds are found in 3, 10 and 30 documents."""
    row, _ = _row(_QA2, 7, tokens=160_000, questions=150, knobs={"compared": 0})
    memory = BM25Memory()
    for document in row.context.split("\n\n"):
        memory.add(document)
    ranked = [memory.search(question, 30) for question in row.questions]
    for depth, share, leeway in ((3, 0.58, 0.1), (10, 0.82, 0.08), (30, 0.92, 0.05)):
        pairs = zip(ranked, row.answers, strict=True)
        found = [any(gold[0] in one.text for one in listed[:depth]) for listed, gold in pairs]
        assert fmean(found) == pytest.approx(share, abs=leeway)


def test_half_of_the_subjects_of_single_facts_have_a_second_document() -> None:
    row, world = _row(_QA1, tokens=60_000, questions=1)
    openings = [text.split("\n")[1].split(". ")[0] for text in row.context.split("\n\n")]
    # The first document about something has a date in its first sentence, the second has not.
    second = [opening for opening in openings if not any(map(str.isdigit, opening))]
    assert 0.25 < len(second) / len(openings) < 0.42
    for opening in second:
        assert any(name in opening for name in world.dates)


def test_whoever_is_married_to_somebody_is_that_ones_spouse() -> None:
    _, world = _row(_QA1, questions=1)
    for relation, kind in (("spouse", "person"), ("twin", "city")):
        state = {name: world.state[relation, name] for name in world.entities[kind]}
        # Where their number is odd, one has to be left over.
        assert sum(state[other] != name for name, other in state.items()) <= 1


def test_the_share_of_comparisons_does_not_depend_on_how_many_draws_fail() -> None:
    row, _ = _row(_QA2, tokens=60_000, questions=300, knobs={"compared": 0.2})
    assert 0.15 < len(_compared(row)) / 300 < 0.25


# What is stated of a relation and a subject, by serial number.
Ledger = dict[tuple[str, str], dict[int, str]]
_SINGLE, _MULTI = "factconsolidation_sh_6k", "factconsolidation_mh_6k"


def _made(
    source: str, seed: int = 2, tokens: int = 12_000, questions: int = 30, **knobs: float
) -> Row:
    specs = row_specs(source, seed, tokens=tokens, questions=questions, knobs=knobs)
    (row,) = make_rows(specs)
    return row


def _ledger(row: Row) -> Ledger:
    header, *lines = row.context.splitlines()
    assert header == "Here is a list of facts:"
    ledger: Ledger = {}
    for serial, line in enumerate(lines):
        number, _, text = line.partition(". ")
        assert number == str(serial)
        ((key, value),) = (
            ((relation.name, slots["s"].lower()), slots["o"])
            for relation in RELATIONS
            for slots in read(text, relation.statements)
        )
        ledger.setdefault(key, {})[serial] = value
    return ledger


def _read(ledger: Ledger, words: str, asked: bool = True, last: int = -1) -> str | None:
    """Return what a question asks for, or a phrase stands for, by the statement at ``last``."""
    for relation in RELATIONS:
        for slots in read(words, relation.questions if asked else relation.phrases):
            inner = _read(ledger, slots["s"], False, last) or ""
            if stated := ledger.get((relation.name, inner.lower())):
                return [*stated.values()][last]
    return None if asked else words


def _answers(ledger: Ledger, row: Row, last: int = -1) -> list[bool]:
    """Say of each question whether the statement at ``last`` answers it."""
    pairs = zip(row.questions, row.answers, strict=True)
    found = ((_read(ledger, question, last=last), gold) for question, (gold,) in pairs)
    return [one is not None and one.lower() == gold.lower() for one, gold in found]


def _hops(row: Row) -> set[int]:
    phrases = [pattern(phrase) for relation in RELATIONS for phrase in relation.phrases]

    def depth(words: str) -> int:
        inner = [found["s"] for found in (p.fullmatch(words) for p in phrases) if found]
        return 1 + max(map(depth, inner)) if inner else 0

    asked = [[s["s"] for r in RELATIONS for s in read(q, r.questions)] for q in row.questions]
    return {1 + max(map(depth, subjects)) for subjects in asked}


@pytest.mark.parametrize("seeds", [range(2), pytest.param(range(2, 52), marks=pytest.mark.slow)])
def test_the_later_serial_answers_every_question_and_the_first_few(seeds: range) -> None:
    for seed in seeds:
        single, multi = (_made(source, seed, 6_000, 100) for source in (_SINGLE, _MULTI))
        assert single.context == multi.context
        assert 300 < single.context.count("\n") < 520, "as many as on the hub"
        assert re.search(r"\.\n\Z", single.context)
        assert not {*single.questions} & {*multi.questions}
        ledger = _ledger(single)
        for row in (single, multi):
            assert all(_answers(ledger, row))
            assert sum(_answers(ledger, row, last=0)) <= 50
        assert _hops(multi) == {2, 3, 4}


def test_conflicts_and_their_distance_are_knobs() -> None:
    def lags(**knobs: Any) -> list[int]:
        """How many lines lie between a fact and the one that contradicts it."""
        stated = _ledger(_made(_SINGLE, **knobs)).values()
        return [later - first for serials in stated for first, later in pairwise(serials)]

    assert lags(conflicts=0) == []
    many, near = lags(conflicts=0.5), lags(conflicts=0.5, distance=0.02)
    assert len(many) > 250
    assert max(near) < 30 < max(many)


@pytest.mark.parametrize("hops", [2, 4])
def test_hops_are_a_knob(hops: int) -> None:
    row = _made(_MULTI, fewest_hops=hops, most_hops=hops)
    assert all(_answers(_ledger(row), row))
    assert _hops(row) == {hops}


def test_every_statement_can_be_asked_for_in_its_own_words() -> None:
    for relation in RELATIONS:
        for statement in relation.statements:
            for wordings in (relation.questions, relation.phrases):
                shared = max(shared_words(wording, statement) for wording in wordings)
                assert shared > 0, (statement, wordings)


@pytest.mark.parametrize("tokens", [700, 1_000, 2_000])
def test_the_shortest_histories_have_something_to_contradict(tokens: int) -> None:
    for seed in range(3):
        assert len(_made(_MULTI, seed, tokens, 2).questions) == 2


def test_names_stand_in_chains_as_in_the_real_rows() -> None:
    # In the real rows nine subjects of ten have one relation, more than half of what is stated is
    # contradicted, once, and what a chain begins with stands nowhere else.
    row = _made(_MULTI, paraphrase=0)
    ledger = _ledger(row)
    relations = Counter(subject for _, subject in ledger)
    assert sum(count == 1 for count in relations.values()) > 0.8 * len(relations)
    assert 0.45 < sum(len(values) > 1 for values in ledger.values()) / len(ledger) < 0.7
    assert max(map(len, ledger.values())) == 2
    ends = Counter(value.lower() for values in ledger.values() for value in values.values())
    starts = [next(s for s in relations if s in question.lower()) for question in row.questions]
    assert sum(ends[start] <= 1 for start in starts) > 0.9 * len(starts)
    golds = Counter(answers[0] for answers in row.answers)
    assert max(golds.values()) <= 0.2 * len(row.questions)
