"""What can be guessed without a history: priors and surface form, learnt on other seeds."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from mabench.data.schema import Row
from mabench.text import options_in

_MASKED = re.compile(r"\b[A-Z]\w+|\d+")


class Choice(NamedTuple):
    seed: int
    options: tuple[str, ...]
    gold: int


def choices(rows: Mapping[int, Sequence[Row]]) -> list[Choice]:
    return [
        Choice(seed, tuple(texts), gold)
        for seed, of_seed in rows.items()
        for row in of_seed
        for question, answers in zip(row.questions, row.answers, strict=True)
        for texts in [[option.text for option in options_in(question)]]
        for gold in [_place(texts, answers[0])]
    ]


def _place(texts: Sequence[str], gold: str) -> int:
    (place,) = (i for i, text in enumerate(texts) if gold in (text, f"{'ABCDEF'[i]}. {text}"))
    return place


# What an option looks like beside the others of its question.
_LOOKS: Mapping[str, Callable[[tuple[str, ...], int], str]] = {
    "place": lambda options, i: str(i),
    "rank by length": lambda options, i: str(sorted(map(len, options)).index(len(options[i]))),
    "words without names": lambda options, i: _MASKED.sub("_", options[i][:1] + options[i][1:]),
    "words in common": lambda options, i: str(_rank_in_common(options, i)),
}


def _rank_in_common(options: tuple[str, ...], i: int) -> int:
    """Return how many options share less with the others than this one."""
    counts = Counter(word for option in options for word in set(option.split()))
    shared = [sum(counts[word] for word in set(option.split())) for option in options]
    return sum(other < shared[i] for other in shared)


def by_looks(asked: Sequence[Choice]) -> dict[str, float]:
    """Return the share of golds found by each look, as right as it was on other seeds."""
    return {name: _share(asked, look) for name, look in _LOOKS.items()}


def _share(asked: Sequence[Choice], look: Callable[[tuple[str, ...], int], str]) -> float:
    right: Counter[tuple[bool, str]] = Counter()
    seen: Counter[tuple[bool, str]] = Counter()
    found = 0.0
    for choice in asked:
        half = choice.seed % 2 == 0
        for i in range(len(choice.options)):
            key = (half, look(choice.options, i))
            seen[key] += 1
            right[key] += i == choice.gold
    for choice in asked:
        other = choice.seed % 2 != 0
        keys = [(other, look(choice.options, i)) for i in range(len(choice.options))]
        values = [(right[key] + 1) / (seen[key] + len(keys)) for key in keys]
        best = [i for i, value in enumerate(values) if value == max(values)]
        found += (choice.gold in best) / len(best)
    return found / len(asked)


def by_surface(asked: Sequence[Choice], folds: int = 5) -> float:
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
    for train, test in GroupKFold(folds).split(features, gold, seeds):
        model = LogisticRegression(max_iter=300, class_weight="balanced")
        model.fit(features[train], gold[train])
        scores[test] = model.decision_function(features[test])
    right = at = 0
    for choice in asked:
        count = len(choice.options)
        right += int(np.argmax(scores[at : at + count])) == choice.gold
        at += count
    return right / len(asked)


def by_answers(rows: Mapping[int, Sequence[Row]], words: int | None = None) -> float:
    """Return the share of questions answered by the commonest gold of other seeds.

    It is the commonest for the same question without names and numbers, or as many of its first
    words, else of all.
    """
    golds: defaultdict[tuple[bool, str], Counter[str]] = defaultdict(Counter)
    asked = list(_asked(rows))
    asked = [(seed, " ".join(question.split()[:words]), golds) for seed, question, golds in asked]
    for seed, question, answers in asked:
        for key in (question, ""):
            golds[seed % 2 == 0, key].update(answers)
    right = 0
    for seed, question, answers in asked:
        known = golds[seed % 2 != 0, question] or golds[seed % 2 != 0, ""]
        right += known.most_common(1)[0][0] in answers
    return right / len(asked)


def by_wording(asked: Mapping[int, Sequence[tuple[str, bool]]]) -> float:
    """Return how well the wording tells the two kinds of question apart; half is chance.

    It is the mean of the shares found of both kinds. A question is taken for the rarer kind where
    its words, without names and numbers, were that on other seeds more often than questions are.
    """
    rare: Counter[tuple[bool, str]] = Counter()
    seen: Counter[tuple[bool, str]] = Counter()
    told = [
        (seed % 2 == 0, _MASKED.sub("_", question.rpartition("Now Answer the Question:")[2]), kind)
        for seed, of_seed in asked.items()
        for question, kind in of_seed
    ]
    for half, words, kind in told:
        for key in ((half, words), (half, "")):
            seen[key] += 1
            rare[key] += kind
    right: defaultdict[bool, list[bool]] = defaultdict(list)
    for half, words, kind in told:
        key, usual = (not half, words), rare[not half, ""] / seen[not half, ""]
        right[kind].append((rare[key] > usual * seen[key]) == kind)
    return sum(sum(found) / len(found) for found in right.values()) / 2


def _asked(rows: Mapping[int, Sequence[Row]]) -> Iterator[tuple[int, str, set[str]]]:
    for seed, of_seed in rows.items():
        for row in of_seed:
            for question, answers in zip(row.questions, row.answers, strict=True):
                asked = question.rpartition("Now Answer the Question:")[2]
                yield seed, _MASKED.sub("_", asked), {answer.lower() for answer in answers}
