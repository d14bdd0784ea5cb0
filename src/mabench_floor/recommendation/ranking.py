"""Ranks items by what occurs with them in dialogues: other items, words and wordings."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_matrix, csr_matrix, diags
from scipy.sparse.linalg import LinearOperator, cg, svds

from mabench_floor.equal_columns import joining
from mabench_floor.recommendation.turns import DialogueTurn

# Plain choices, on dialogues of a history that were left out; others near them do as well.
# How many mentions it takes until counts weigh as much as chance.
_PRIOR = 80.0
# The weight of a word relative to an item.
_WORD = 1.0
# Words in fewer dialogues, or in a larger share of them, are ignored.
_FEWEST = 3
_MOST = 0.4
# The largest number of factors, and the number of items for each.
_FACTORS, _ITEMS_A_FACTOR = 32, 3
# The weight of the wording relative to the company of items, with both scaled to the same spread.
_WORDING = 0.5
_RIDGE = 3.0
# In how many dialogues a word or pair must occur to count.
_SPREAD = 2
# How exactly the equations are solved; more changes no ranking that matters.
_EXACT = 1e-2
_ROUNDS = 30
_TOKEN = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class WordingModel:
    """Predicts items from the wording of a dialogue.

    Attributes:
        columns: the column of each word and of each pair of adjacent words.
        rarity: the log inverse share of the dialogues that contain each of them.
        joining: joins columns that occur in the same dialogues.
        wording: the weighted words of each dialogue, joined, as a row of length 1.
        turned: the transpose of ``wording``.
        items: which items (columns) each dialogue (row) mentions.
    """

    columns: Mapping[str, int]
    rarity: NDArray[Any]
    joining: csr_matrix
    wording: csr_matrix
    turned: csr_matrix
    items: csr_matrix

    def scores(self, texts: Iterable[str]) -> NDArray[Any]:
        """Return a score for each item, given these texts; higher is likelier.

        This is kernel ridge regression (Saunders et al., 1998) on the cosine of tf-idf vectors,
        solved for this one dialogue by conjugate gradients.
        """
        asked = _rows([_counted(texts)], self.columns, self.rarity) @ self.joining
        likeness = self.wording @ asked.toarray().ravel()
        size = self.wording.shape[0]
        kernel = LinearOperator(
            (size, size),
            matvec=lambda v: self.wording @ (self.turned @ v) + _RIDGE * v,
            dtype=float,
        )
        weights, _ = cg(kernel, likeness, rtol=_EXACT, maxiter=_ROUNDS)
        scores: NDArray[Any] = self.items.T @ weights
        return scores


@dataclass(frozen=True, slots=True)
class ItemRanker:
    """Ranks items for a dialogue.

    Attributes:
        items: the items, in the order of the columns.
        features: the row of each item and each word, by kind and text.
        popularity: the log number of dialogues that mention each item.
        unmet: what an item loses by a feature that it never occurred with.
        lift: the log of how much more often an item occurs with a feature than by chance, above
            ``unmet``; features by items.
        factors: ``lift``, smoothed: two matrices whose product has low rank.
        wording: which items occur with which wordings.
    """

    items: tuple[str, ...]
    features: Mapping[tuple[str, str], int]
    popularity: NDArray[Any]
    unmet: NDArray[Any]
    lift: csr_matrix
    factors: tuple[NDArray[Any], NDArray[Any]]
    wording: WordingModel

    def ranked(self, dialogue: Sequence[DialogueTurn]) -> list[str]:
        """Return all items that the dialogue does not mention, the best first."""
        if not self.items:
            return []
        named = _items_in(dialogue)
        scores = self._company(dialogue)
        by_wording = self.wording.scores(turn.text for turn in dialogue)
        if by_wording.std() > 0:  # Scaled to the same spread as the other scores.
            scores += _WORDING * scores.std() / by_wording.std() * by_wording
        order = np.argsort(-scores, kind="stable").tolist()
        ranked = [self.items[column] for column in order]
        return [item for item in ranked if item not in named]

    def _company(self, dialogue: Sequence[DialogueTurn]) -> NDArray[Any]:
        """Return for each item how well it fits the items and words of the dialogue."""
        told = np.zeros(len(self.features))
        for name, weight in _features(dialogue).items():
            if name in self.features:
                told[self.features[name]] = weight
        rows = np.flatnonzero(told)
        lift = self.lift[rows].T @ told[rows]
        scores = self.popularity + told.sum() * self.unmet + lift
        company: NDArray[Any] = scores + (told @ self.factors[0]) @ self.factors[1]
        return company


def learn_ranker(dialogues: Sequence[Sequence[DialogueTurn]]) -> ItemRanker:
    """Learn from dialogues which items occur with which items and words.

    The score of an item is its log popularity plus, for each item and word of the dialogue, the log
    ratio by which they occur together more often than by chance (naive Bayes), shrunk towards none
    by 80 mentions. The same ratios, where positive, are added once more as their 32 largest
    singular vectors give them (latent semantic analysis): these also relate items and words that
    never occurred together but have the same company. At last the prediction from the wording of
    the whole dialogue is added.
    """
    heard = Counter(item for turns in dialogues for item in _items_in(turns))
    items = tuple(sorted(heard))
    features = {("item", item): row for row, item in enumerate(items)}
    for word in _telling_words(dialogues):
        features["word", word] = len(features)
    together = _together(dialogues, features)
    mentions = np.array([heard[item] for item in items], dtype=float)
    chance = np.asarray(together.sum(axis=1)).ravel() / max(mentions.sum(), 1.0)
    unmet = np.log(_PRIOR / (mentions + _PRIOR))
    lift = together.tocoo()
    lift.data = np.log1p(lift.data / (_PRIOR * chance[lift.row]))
    positive = lift.copy()
    positive.data = np.maximum(lift.data + unmet[lift.col], 0.0)
    texts = [[turn.text for turn in turns] for turns in dialogues]
    return ItemRanker(
        items=items,
        features=features,
        popularity=np.log(mentions + 0.5),
        unmet=unmet,
        lift=lift.tocsr(),
        factors=_factors(positive.tocsr()),
        wording=_learn_wording(texts, _mentions(dialogues, items)),
    )


def ranked_by_neighbours(
    dialogue: Sequence[DialogueTurn], dialogues: Sequence[Sequence[DialogueTurn]]
) -> list[str]:
    """Return the items of similar dialogues that a dialogue does not mention, the best first.

    Each dialogue votes for its items, by the square of the rarity of the words that both share,
    over the square root of its length. It is for a few dialogues that a search found: nothing is
    learned.
    """
    asked = _words_in(dialogue)
    words = [_words_in(turns) for turns in dialogues]
    counts = Counter(word for own in words for word in own & asked)
    size = len(words)
    rarity = {w: math.log(1 + (size - n + 0.5) / (n + 0.5)) for w, n in counts.items()}
    votes: defaultdict[str, float] = defaultdict(float)
    for own, turns in zip(words, dialogues, strict=True):
        shared_rarity = math.fsum(rarity[word] for word in own & asked)
        vote = shared_rarity**2 / math.sqrt(1 + len(own))
        for item in _items_in(turns):
            votes[item] += vote
    return sorted(votes.keys() - _items_in(dialogue), key=lambda item: (-votes[item], item))


def _items_in(dialogue: Sequence[DialogueTurn]) -> set[str]:
    """Return the items that a dialogue mentions."""
    return {item for turn in dialogue for item in turn.items}


def _words_in(dialogue: Sequence[DialogueTurn]) -> frozenset[str]:
    """Return the stems of the words of a dialogue."""
    return frozenset[str]().union(*(turn.words for turn in dialogue))


def _features(dialogue: Sequence[DialogueTurn]) -> dict[tuple[str, str], float]:
    """Return the words and items of a dialogue, by kind and text, with their weights."""
    words = {("word", word): _WORD for turn in dialogue for word in sorted(turn.words)}
    return words | {("item", item): 1.0 for turn in dialogue for item in turn.items}


def _telling_words(dialogues: Sequence[Sequence[DialogueTurn]]) -> list[str]:
    """Return the words that are neither in too few dialogues nor in too many, sorted."""
    heard = Counter(word for turns in dialogues for word in _words_in(turns))
    most = _MOST * len(dialogues)
    return sorted(word for word, count in heard.items() if _FEWEST <= count <= most)


def _together(
    dialogues: Sequence[Sequence[DialogueTurn]], features: Mapping[tuple[str, str], int]
) -> csr_matrix:
    """Count how often a feature and an item are in the same dialogue, features by items.

    Half a count is for the dialogue. One more is added if both occur in the turn that first has the
    item, half of one if they are a turn apart, and so on.
    """
    items = len([kind for kind, _ in features if kind == "item"])
    none = np.zeros(0, dtype=int)
    rows, columns, counts = [none], [none], [none]
    for turns in dialogues:
        of_dialogue = _counts_in_dialogue([_rows_of(turn, features) for turn in turns], items)
        rows.append(of_dialogue.features)
        columns.append(of_dialogue.items)
        counts.append(of_dialogue.counts)
    places = np.concatenate(rows), np.concatenate(columns)
    shape = len(features), items
    return coo_matrix((np.concatenate(counts), places), shape, dtype=float).tocsr()


class _PairCounts(NamedTuple):
    """Pairs of a feature and an item, each with its count: three arrays of one length."""

    features: NDArray[Any]
    items: NDArray[Any]
    counts: NDArray[Any]


def _counts_in_dialogue(told: Sequence[Sequence[int]], items: int) -> _PairCounts:
    """Count the pairs of a dialogue, from the rows of the features of each turn.

    The first ``items`` rows are those of items. An item makes no pair with itself.
    """
    # The rows that the dialogue has, and the place of each mention among them.
    rows, places = np.unique(np.concatenate([[], *told]).astype(int), return_inverse=True)
    turns = np.repeat(np.arange(len(told)), [len(mentions) for mentions in told])
    is_in_turn = np.zeros((len(told), len(rows)), dtype=bool)
    is_in_turn[turns, places] = True
    item_places = np.flatnonzero(rows < items)
    if len(item_places) == 0:
        none = np.zeros(0, dtype=int)
        return _PairCounts(none, none, none)
    gaps = _gaps(is_in_turn, first=is_in_turn[:, item_places].argmax(axis=0))
    is_pair = item_places[:, None] != np.arange(len(rows))  # Items by features.
    item, feature = np.nonzero(is_pair)
    counts = 0.5 + 0.5 ** gaps[item, feature]
    return _PairCounts(rows[feature], rows[item_places[item]], counts)


def _rows_of(turn: DialogueTurn, features: Mapping[tuple[str, str], int]) -> list[int]:
    """Return the rows of the known features of a turn."""
    return [features[name] for name in _features([turn]) if name in features]


def _gaps(is_in_turn: NDArray[Any], first: NDArray[Any]) -> NDArray[Any]:
    """Return the turns between the first mention of each item and the nearest one of each feature.

    Args:
        is_in_turn: which features (columns) each turn (row) has.
        first: the turn in which each item first occurs.

    Returns:
        A matrix of items by features.
    """
    turns = np.arange(len(is_in_turn))
    distances = np.abs(turns[None, :] - first[:, None]).astype(float)  # Items by turns.
    by_turn = np.where(is_in_turn[None], distances[:, :, None], np.inf)
    gaps: NDArray[Any] = by_turn.min(axis=1)
    return gaps


def _mentions(dialogues: Sequence[Sequence[DialogueTurn]], items: Sequence[str]) -> csr_matrix:
    """Return which items (columns) each dialogue (row) mentions."""
    column = {item: place for place, item in enumerate(items)}
    rows: list[int] = []
    columns: list[int] = []
    for row, turns in enumerate(dialogues):
        for item in sorted(_items_in(turns)):
            rows.append(row)
            columns.append(column[item])
    return csr_matrix(([1.0] * len(rows), (rows, columns)), (len(dialogues), len(items)))


def _factors(lift: csr_matrix) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return two matrices of low rank whose product is near ``lift``; zeros if it is too small."""
    rank = min(_FACTORS, min(lift.shape) // _ITEMS_A_FACTOR)
    if rank < 1 or not lift.nnz:
        return np.zeros((lift.shape[0], 1)), np.zeros((1, lift.shape[1]))
    left, values, right = svds(lift, k=rank, v0=np.ones(min(lift.shape)))
    return left * values, right


def _learn_wording(dialogues: Sequence[Iterable[str]], items: csr_matrix) -> WordingModel:
    """Learn from the texts of dialogues and the items in each, dialogues by items."""
    counted = [_counted(texts) for texts in dialogues]
    spread = Counter(word for counts in counted for word in counts)
    known = sorted(word for word, count in spread.items() if count >= _SPREAD)
    columns = {word: column for column, word in enumerate(known)}
    size = len(counted)
    rarity = np.array([1 + math.log((1 + size) / (1 + spread[word])) for word in known])
    rows = _rows(counted, columns, rarity)
    join = joining(rows)
    wording = rows @ join
    return WordingModel(
        columns=columns,
        rarity=rarity,
        joining=join,
        wording=wording,
        turned=wording.T.tocsr(),
        items=items,
    )


def _counted(texts: Iterable[str]) -> Counter[str]:
    """Count the words of a dialogue and its pairs of adjacent words."""
    words = [word for text in texts for word in _TOKEN.findall(text.casefold())]
    pairs = (f"{one} {other}" for one, other in pairwise(words))
    return Counter(chain(words, pairs))


def _rows(
    counted: Sequence[Mapping[str, int]], columns: Mapping[str, int], rarity: NDArray[Any]
) -> csr_matrix:
    """Return tf-idf vectors of length 1, one a row; words without a column are left out."""
    places: list[int] = []
    counts: list[int] = []
    ends = [0]  # Of each row, among the numbers of all rows.
    for count_of in counted:
        for word, count in count_of.items():
            if word in columns:
                places.append(columns[word])
                counts.append(count)
        ends.append(len(places))
    column_of = np.array(places, dtype=int)
    weights = (1 + np.log(np.array(counts, dtype=float))) * rarity[column_of]
    matrix = csr_matrix((weights, column_of, ends), (len(counted), len(columns)))
    matrix.sort_indices()
    lengths = np.sqrt(np.asarray(matrix.multiply(matrix).sum(axis=1)).ravel())
    return (diags(1 / np.maximum(lengths, 1e-9)) @ matrix).tocsr()
