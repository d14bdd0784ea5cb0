"""The published scorer's figures, its quirks included, so that scores compare with the paper's.

Normalised strings are matched exactly, as a substring, and by shared tokens (SQuAD's measures).
ROUGE-L and ROUGE-Lsum (Lin, 2004) with stemming equal the ``rouge-score`` package to the last bit;
the longest common subsequence is found with the bit-parallel recurrence of Hyyro (2004): one
integer per token of the prediction holds a whole column of the usual table.
"""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from mabench.text.stemmers import porter_stemmer

if TYPE_CHECKING:
    from mabench.scoring.catalogue import Catalogue

CUTOFFS = (1, 5, 10)  # How many of the first recommendations count.
_ARTICLES = re.compile(r"\b(?:a|an|the)\b")
_NO_PUNCTUATION = str.maketrans("", "", string.punctuation)
_ALL_OR_NOTHING = frozenset({"yes", "no", "noanswer"})  # Words that no F1 shares.
_ANSWER_MARK = re.compile("Answer:(.*)", re.IGNORECASE)
_REPEATED_MARK = re.compile("Answer:", re.IGNORECASE)
_TOKEN = re.compile(r"[a-z0-9]+")
_LONGEST_UNSTEMMED = 3  # Characters of a token that rouge-score does not stem.
_PARENTHESES = re.compile(r"\([^()]*\)")
_NUMBERING = re.compile(r"\d+[.)、]?\s*+(?:[-\u2014\u2013]\s*+)?")

ScoresByMetric = dict[str, bool | float]
_Tokens = tuple[str, ...]


class _Rouge(NamedTuple):
    """How much two texts share: the harmonic mean of precision and recall, and recall."""

    f1: float
    recall: float


@lru_cache(maxsize=8192)
def normalize(text: str) -> str:
    """Lower ``text``, delete ASCII punctuation and English articles, squeeze white space.

    ``vice-president`` becomes ``vicepresident``, and typographic quotes stay.
    """
    bare = text.lower().translate(_NO_PUNCTUATION)
    return " ".join(_ARTICLES.sub(" ", bare).split())


def parse_answer(output: str) -> str:
    """Return what follows the first ``Answer:`` on its line; without one, the first line.

    One repetition of ``Answer:`` is dropped; an answer that begins on the next line is lost.
    """
    marked = _ANSWER_MARK.search(output)
    answer = (marked[1] if marked else output.partition("\n")[0]).strip()
    repeated = _REPEATED_MARK.match(answer)
    return answer[repeated.end() :].strip() if repeated else answer


def text_scores(prediction: str, answers: Sequence[str]) -> ScoresByMetric:
    """Return every text metric of the published scorer, each the best over the candidates.

    ``exact_match`` and ``substring_exact_match`` are bools (word boundaries play no part, and an
    answer that normalises to nothing is everywhere); F1 and ROUGE are from 0 to 1. Without
    answers every metric is 0.
    """
    scores = [_pair_scores(prediction, answer) for answer in dict.fromkeys(answers)]
    return _best(scores) if scores else dict(_NO_SCORES)


def raw_or_parsed(prediction: str, answers: Sequence[str]) -> ScoresByMetric:
    """Return each metric as the larger of its values on the output and on the parsed answer."""
    raw, parsed = text_scores(prediction, answers), parse_answer(prediction)
    return raw if parsed == prediction else _best((raw, text_scores(parsed, answers)))


def parsed_only(prediction: str, answers: Sequence[str]) -> ScoresByMetric:
    """Return the metrics of the parsed answer alone (icl and eventqa)."""
    return text_scores(parse_answer(prediction), answers)


def eventqa_recall(prediction: str, answers: Sequence[str]) -> int:
    """Return 1 when every answer is in the output as it is, case aside, else 0."""
    output = prediction.lower()
    return int(bool(answers) and all(answer.lower() in output for answer in answers))


def recommendation_recall(
    prediction: str, answers: Sequence[str], catalogue: Catalogue, ks: Sequence[int] = CUTOFFS
) -> dict[str, float]:
    """Return the published Recall@k, the share of gold titles among the first k items.

    The output has one recommendation a line, the answers are ids of entities. One that is
    unknown to the catalogue (the published code fails there) stays in the denominator.
    """
    items = recommended_items(prediction)[: max(ks, default=0)]
    nearest = [catalogue.nearest(item) for item in items]
    wanted = catalogue.titles(answers)
    return {
        f"recsys_recall@{k}": sum(title in nearest[:k] for title in wanted) / max(len(answers), 1)
        for k in ks
    }


def recommended_items(output: str) -> list[str]:
    """Return the items of ``output``, one a line, cleaned; blank lines are items too.

    Reading starts after the first ``1.``. Without one, commas end an item as line feeds do.
    Digits that open an item are taken for its number, so that ``21 Jump Street`` loses its 21.
    """
    before, mark, after = output.partition("1.")
    text = after if mark else before.replace(",", "\n")
    return [_clean(line) for line in text.split("\n")]


@lru_cache(maxsize=8192)
def _clean(line: str) -> str:
    item = _PARENTHESES.sub("", line.strip())
    numbering = _NUMBERING.match(item)
    return " ".join((item[numbering.end() :] if numbering else item).split())


def f1(prediction: str, answer: str) -> float:
    """Return the harmonic mean of token precision and recall, from 0 to 1.

    When one side is yes, no or noanswer, the other must be the same or the score is 0.
    """
    found, wanted = normalize(prediction), normalize(answer)
    if found != wanted and not _ALL_OR_NOTHING.isdisjoint((found, wanted)):
        return 0.0
    found_tokens, wanted_tokens = found.split(), wanted.split()
    shared = (Counter(found_tokens) & Counter(wanted_tokens)).total()
    return _of_hits(shared, found=len(found_tokens), wanted=len(wanted_tokens)).f1


_NO_SCORES: ScoresByMetric = {
    "exact_match": False,
    "f1": 0.0,
    "substring_exact_match": False,
    "rougeL_f1": 0.0,
    "rougeL_recall": 0.0,
    "rougeLsum_f1": 0.0,
    "rougeLsum_recall": 0.0,
}


def _pair_scores(prediction: str, answer: str) -> ScoresByMetric:
    """Return every text metric of a prediction for one answer; the names are the published ones."""
    found, wanted = normalize(prediction), normalize(answer)
    found_lines, wanted_lines = _stemmed_lines(prediction), _stemmed_lines(answer)
    of_lines = _rouge(found_lines, wanted_lines)
    of_texts = _rouge(_as_one_line(found_lines), _as_one_line(wanted_lines))
    return {
        "exact_match": found == wanted,
        "f1": f1(prediction, answer),
        "substring_exact_match": wanted in found,
        "rougeL_f1": of_texts.f1,
        "rougeL_recall": of_texts.recall,
        "rougeLsum_f1": of_lines.f1,
        "rougeLsum_recall": of_lines.recall,
    }


def _best(scores: Sequence[ScoresByMetric]) -> ScoresByMetric:
    """Return the largest value of each metric."""
    return {name: max(score[name] for score in scores) for name in scores[0]}


@cache
def _stemmer() -> Callable[[str], str]:
    return lru_cache(maxsize=1 << 16)(porter_stemmer())


@lru_cache(maxsize=2048)
def _stemmed_lines(text: str) -> tuple[_Tokens, ...]:
    """Return the stemmed tokens of each line that is not empty, as ``rouge-score`` has them."""
    return tuple(_stemmed_tokens(line) for line in text.lower().split("\n") if line)


def _stemmed_tokens(line: str) -> _Tokens:
    """Return the tokens of a line in lower case, the longer ones stemmed; no empty stems."""
    stem = _stemmer()
    stems = [
        stem(token) if len(token) > _LONGEST_UNSTEMMED else token for token in _TOKEN.findall(line)
    ]
    return tuple(filter(None, stems))


def _as_one_line(lines: tuple[_Tokens, ...]) -> tuple[_Tokens, ...]:
    """Return the tokens of all lines as one line."""
    return (tuple(chain(*lines)),)


@lru_cache(maxsize=2048)
def _rouge(found: tuple[_Tokens, ...], wanted: tuple[_Tokens, ...]) -> _Rouge:
    """Score how much the lines of a prediction share with those of an answer.

    Of each line of the answer, those tokens are hits that are in its longest common subsequence
    with any line of the prediction. A token counts at most as often as both texts have it. With
    all lines this is ROUGE-Lsum, with each text as one line ROUGE-L.
    """
    found_tokens, wanted_tokens = Counter(chain(*found)), Counter(chain(*wanted))
    left = found_tokens & wanted_tokens  # How often each token may still be a hit.
    hits = 0
    if left:
        # Lines that repeat another share the same, and lines without a common token share nothing.
        lines_with: dict[str, set[_Tokens]] = {token: set() for token in left}
        for line in set(found):
            for token in left.keys() & set(line):
                lines_with[token].add(line)
        positions: dict[_Tokens, list[int]] = {}
        for sentence in set(wanted):
            lines = set().union(*(lines_with.get(token, ()) for token in sentence))
            shared = (_common_positions(sentence, line) for line in lines)
            positions[sentence] = sorted(set().union(*shared))
        for sentence in wanted:
            for position in positions[sentence]:
                token = sentence[position]
                if left[token]:
                    left[token] -= 1
                    hits += 1
    return _of_hits(hits, found=found_tokens.total(), wanted=wanted_tokens.total())


def _of_hits(hits: int, *, found: int, wanted: int) -> _Rouge:
    """Return the measures of tokens in common, by how many the prediction and the answer have."""
    if not hits:
        return _Rouge(0.0, 0.0)
    precision, recall = hits / found, hits / wanted
    return _Rouge(2 * precision * recall / (precision + recall), recall)


def _common_positions(wanted: _Tokens, found: _Tokens) -> set[int]:
    """Return the positions in ``wanted`` of one longest common subsequence.

    Several may be longest; this walks back as ``rouge-score`` does (a match first, then the
    shorter ``wanted``), because the union over lines depends on which one is taken.
    """
    positions: set[int] = set()
    if set(wanted).isdisjoint(found):
        return positions
    columns = _columns_of_lengths(wanted, found)
    i, j = len(wanted), len(found)
    while i and j:
        if wanted[i - 1] == found[j - 1]:
            i, j = i - 1, j - 1
            positions.add(i)
        elif columns[j] >> (i - 1) & 1:  # Without its last token, wanted[:i] would share less.
            j -= 1
        else:
            i -= 1
    return positions


def _columns_of_lengths(wanted: _Tokens, found: _Tokens) -> list[int]:
    """Return where the common subsequence of ``wanted`` and each beginning of ``found`` grows.

    Bit i of item j is 1 where the longest one of ``found[:j]`` and ``wanted[: i + 1]`` is longer
    than that with ``wanted[:i]``: one column of the usual table of lengths, as its differences.
    """
    places: dict[str, int] = {}  # Of each token, with a bit for each position in wanted.
    for position, token in enumerate(wanted):
        places[token] = places.get(token, 0) | 1 << position
    every = (1 << len(wanted)) - 1
    level, columns = every, [0]  # The level has a 0 where the column has a 1.
    for token in found:
        matches = level & places.get(token, 0)
        level = (level + matches | level - matches) & every  # Hyyro's step, for all rows at once.
        columns.append(every ^ level)
    return columns
