"""What can be guessed without a history: priors and surface form, learnt on other seeds."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from statistics import fmean
from typing import Any, NamedTuple

import pytest

from mabench.data.schema import Row
from mabench.text import parse_options
from mabench_synthetic import make_rows, row_specs

# A source of each kind of question: tokens and questions of a short row.
_SOURCES = {
    "ruler_qa1_197K": (5_000, 20),
    "ruler_qa2_421K": (5_000, 20),
    "eventqa_full": (6_000, 15),
    "longmemeval_s*": (12_000, 24),
    "recsys_redial_full": (6_000, 20),
    "icl_banking77_5900shot_balance": (5_000, 20),
    "icl_trec_coarse_6600shot_balance": (4_000, 20),
    "infbench_sum_eng_shots2": (5_000, 1),
    "detective_qa": (5_000, 10),
    "factconsolidation_mh_6k": (4_000, 20),
    "factconsolidation_sh_6k": (4_000, 20),
}
# Texts to be labelled are no facts: as on the hub, two histories may have one in common.
_FACTS = sorted(source for source in _SOURCES if not source.startswith("icl"))
_OPTIONS = {"eventqa_full": 1 / 6, "detective_qa": 1 / 4}
# What the commonest answer gives: a sixth of six labels; comparisons and yes or no in qa2 are
# right half the time; and so many questions about chats have no answer, which can be said of all.
_BY_CHANCE = {
    "icl_trec_coarse_6600shot_balance": 1 / 6,
    "icl_banking77_5900shot_balance": 1 / 77,
    "ruler_qa2_421K": 0.15,
    "longmemeval_s*": 2 / 24,
}
_LEEWAY = 0.05
_FEW, _MANY = 10, 200
_FEW_AND_MANY = pytest.mark.parametrize(
    "seeds", [_FEW, pytest.param(_MANY, marks=pytest.mark.slow)]
)
_SENTENCE_ENDS = re.compile(r";\s|(?<=[.?!])[\"']?\s+|\n+|\\n")
# A number, or a name inside a sentence that is no day of the week.
_FACT = re.compile(r"\d|(?<=[a-z,] )(?!(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day)[A-Z][a-z]{2,}")
_HEADINGS = re.compile(r"(Document|Dialogue|Chapter|label:) ?\d+:?")
_MASKED = re.compile(r"\b[A-Z]\w+|\d+")


@cache
def _rows(source: str, seeds: int) -> list[Row]:
    """Return a row of each seed; what is learnt on the half of them is tried on the other."""
    tokens, questions = _SOURCES[source]
    size: dict[str, Any] = {"tokens": tokens, "rows": 1, "questions": questions}
    return [r for seed in range(seeds) for r in make_rows(row_specs(source, 1000 + seed, **size))]


class _Choice(NamedTuple):
    seed: int
    options: tuple[str, ...]
    gold: int


def _choices(source: str, seeds: int) -> Iterator[_Choice]:
    for seed, row in enumerate(_rows(source, seeds)):
        for question, (gold,) in zip(row.questions, row.answers, strict=True):
            options = tuple(option.text for option in parse_options(question))
            yield _Choice(seed, options, options.index(re.sub(r"^[A-D]\. ", "", gold)))


# What an option looks like beside the others of its question.
_LOOKS: dict[str, Callable[[tuple[str, ...], int], object]] = {
    "place": lambda options, i: i,
    "rank by length": lambda options, i: sorted(map(len, options)).index(len(options[i])),
    "words without names": lambda options, i: _MASKED.sub("_", options[i]),
    "words in common": lambda options, i: _rank_in_common(options, i),
}


def _rank_in_common(options: tuple[str, ...], i: int) -> int:
    """Return how many options share less with the others than this one."""
    counts = Counter(word for option in options for word in set(option.split()))
    shared = [sum(counts[word] for word in set(option.split())) for option in options]
    return sum(other < shared[i] for other in shared)


def _by_look(asked: Sequence[_Choice], look: Callable[[tuple[str, ...], int], object]) -> float:
    """Return the share of golds found by a look, as right as it was on other seeds."""
    right: Counter[object] = Counter()
    seen: Counter[object] = Counter()
    for seed, options, gold in asked:
        keys = [(seed % 2, look(options, i)) for i in range(len(options))]
        seen.update(keys)
        right[keys[gold]] += 1
    found = 0.0
    for seed, options, gold in asked:
        keys = [(1 - seed % 2, look(options, i)) for i in range(len(options))]
        values = [(right[key] + 1) / (seen[key] + len(keys)) for key in keys]
        best = [i for i, value in enumerate(values) if value == max(values)]
        found += (gold in best) / len(best)
    return found / len(asked)


def _by_surface(asked: Sequence[_Choice]) -> float:
    """Return the share of golds to which a classifier over characters and length gives most.

    Logistic regression, learnt on other seeds; what all options of a question share is left out.
    """
    import numpy as np
    from scipy.sparse import hstack
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import GroupKFold

    texts = [text for choice in asked for text in choice.options]
    seeds = np.array([choice.seed for choice in asked for _ in choice.options])
    gold = np.array([i == c.gold for c in asked for i in range(len(c.options))])
    lengths = np.array([[len(text) / 100, text.count(" ") / 10] for text in texts])
    letters = TfidfVectorizer(analyzer="char_wb", ngram_range=(1, 4), max_features=4_000)
    features = hstack([letters.fit_transform(texts), lengths]).tocsr()
    scores = np.zeros(len(texts))
    for train, test in GroupKFold(5).split(features, gold, seeds):
        model = LogisticRegression(max_iter=300, class_weight="balanced")
        model.fit(features[train], gold[train])
        scores[test] = model.decision_function(features[test])
    each = zip(scores.reshape(len(asked), -1), asked, strict=True)
    return sum(int(np.argmax(one)) == choice.gold for one, choice in each) / len(asked)


@pytest.mark.parametrize("seeds", [50, pytest.param(_MANY, marks=pytest.mark.slow)])
@pytest.mark.parametrize("source", _OPTIONS)
def test_nothing_about_an_option_tells_the_gold(source: str, seeds: int) -> None:
    """Place, length, wording, likeness to the others, and a classifier over characters."""
    asked, most = [*_choices(source, seeds)], _OPTIONS[source] + _LEEWAY
    assert [look for look, told in _LOOKS.items() if _by_look(asked, told) > most] == []
    assert _by_surface(asked) <= most


def _by_answers(source: str, seeds: int, words: int | None = None) -> float:
    """Return the share of questions answered by the commonest gold of other seeds.

    It is the commonest for the same question without names and numbers, or as many of its first
    words, else of all.
    """
    golds: defaultdict[tuple[int, str], Counter[str]] = defaultdict(Counter)
    asked = [
        (seed % 2, " ".join(_bare(question).split()[:words]), {one.lower() for one in answers})
        for seed, row in enumerate(_rows(source, seeds))
        for question, answers in zip(row.questions, row.answers, strict=True)
    ]
    for half, question, answers in asked:
        for key in (question, ""):
            golds[half, key].update(answers)
    known = [(golds[1 - half, one] or golds[1 - half, ""], found) for half, one, found in asked]
    return sum(some.most_common(1)[0][0] in answers for some, answers in known) / len(asked)


def _bare(question: str) -> str:
    """Return a question without names and numbers."""
    return _MASKED.sub("_", question.rpartition("Now Answer the Question:")[2])


@_FEW_AND_MANY
@pytest.mark.parametrize("source", sorted({*_SOURCES} - {*_OPTIONS}))
def test_the_commonest_answer_of_other_seeds_is_of_no_use(source: str, seeds: int) -> None:
    assert _by_answers(source, seeds) <= _BY_CHANCE.get(source, 0) + _LEEWAY
    if source.startswith(("factconsolidation", "ruler")):  # By how a question begins.
        assert _by_answers(source, seeds, words=4) <= 0.07


@pytest.mark.parametrize(
    ("seeds", "leeway"), [(40, 0.15), pytest.param(_MANY, _LEEWAY, marks=pytest.mark.slow)]
)
def test_no_question_about_chats_tells_that_it_has_no_answer(seeds: int, leeway: float) -> None:
    """A question is taken for one where its words were that on other seeds more than usual."""
    asked = [
        (seed % 2, _bare(question.question), (question.question_id or "").endswith("_abs"))
        for seed, row in enumerate(_rows("longmemeval_s*", seeds))
        for question in row.flatten()
        if question.question_type == "single-session-user"
    ]
    rare: Counter[tuple[int, str]] = Counter()
    seen: Counter[tuple[int, str]] = Counter()
    for half, words, kind in asked:
        seen.update([(half, words), (half, "")])
        rare.update({(half, words): kind, (half, ""): kind})
    right: defaultdict[bool, list[bool]] = defaultdict(list)
    for half, words, kind in asked:
        key, usual = (1 - half, words), rare[1 - half, ""] / seen[1 - half, ""]
        right[kind].append((rare[key] > usual * seen[key]) == kind)
    # The mean of the shares found of both kinds; half is chance.
    assert fmean(fmean(found) for found in right.values()) <= 1 / 2 + leeway


@_FEW_AND_MANY
@pytest.mark.parametrize("source", _FACTS)
def test_no_two_histories_tell_the_same(source: str, seeds: int) -> None:
    """No sentence of ten thousand with a name or a number stands in the rows of several seeds.

    Two of 200 worlds may by chance have the same name or the same large number.
    """
    seen = Counter(one for row in _rows(source, seeds) for one in {*_sentences(row)})
    twice = {sentence for sentence, rows in seen.items() if rows > 1}
    few = 0 if source.startswith("factconsolidation") else len(seen) / 10_000
    assert len(twice) <= few, (twice, len(seen))


def _sentences(row: Row) -> Iterator[str]:
    for sentence in _SENTENCE_ENDS.split(row.context):
        # Serial numbers of facts, and who speaks, are no part of what is said.
        bare = re.sub(r"^\d+\.\s*|^(System|User): ", "", sentence).strip()
        if len(bare.split()) > 3 and _FACT.search(bare) and not _HEADINGS.fullmatch(bare):
            yield bare
