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
from typing import TYPE_CHECKING

from mabench.text.stemmers import porter_stemmer

if TYPE_CHECKING:
    from mabench.scoring.catalogue import Catalogue

CUTOFFS = (1, 5, 10)  # How many recommendations count.
_ARTICLES = re.compile(r"\b(?:a|an|the)\b")
_NO_PUNCTUATION = str.maketrans("", "", string.punctuation)
_ALL_OR_NOTHING = frozenset({"yes", "no", "noanswer"})
_MARKED = re.compile("Answer:(.*)", re.IGNORECASE)
_REPEATED = re.compile("Answer:", re.IGNORECASE)
_TOKEN = re.compile(r"[a-z0-9]+")
_LONGEST_UNSTEMMED = 3
_PARENTHESES = re.compile(r"\([^()]*\)")
_NUMBERING = re.compile(r"\d+[.)、]?\s*+(?:[-\u2014\u2013]\s*+)?")

ScoresByMetric = dict[str, bool | float]
_Tokens = tuple[str, ...]
_Rouge = tuple[float, float]  # F1 and recall.


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
    marked = _MARKED.search(output)
    answer = (marked[1] if marked else output.partition("\n")[0]).strip()
    repeated = _REPEATED.match(answer)
    return answer[repeated.end() :].strip() if repeated else answer


def text_scores(prediction: str, answers: Sequence[str]) -> ScoresByMetric:
    """Return every text metric of the published scorer, each the best over the candidates.

    ``exact_match`` and ``substring_exact_match`` are bools (word boundaries play no part, and an
    answer that normalises to nothing is everywhere); F1 and ROUGE are from 0 to 1. Without
    answers every metric is 0.
    """
    scores = [_pair_scores(prediction, answer) for answer in dict.fromkeys(answers)]
    if not scores:  # Each metric is the zero of its type.
        return {name: type(score)() for name, score in _pair_scores("", "").items()}
    return _best(scores)


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
    return _of_hits(shared, len(found_tokens), len(wanted_tokens))[0]


def _pair_scores(prediction: str, answer: str) -> ScoresByMetric:
    found, wanted = normalize(prediction), normalize(answer)
    scores: ScoresByMetric = {
        "exact_match": found == wanted,
        "f1": f1(prediction, answer),
        "substring_exact_match": wanted in found,
    }
    lines = _sentences(prediction), _sentences(answer)
    wholes = [(tuple(chain(*sentences)),) for sentences in lines]
    scores["rougeL_f1"], scores["rougeL_recall"] = _rouge(*wholes)
    scores["rougeLsum_f1"], scores["rougeLsum_recall"] = _rouge(*lines)
    return scores


def _best(scores: Sequence[ScoresByMetric]) -> ScoresByMetric:
    columns = zip(*(score.values() for score in scores), strict=True)
    return dict(zip(scores[0], map(max, columns), strict=True))


@cache
def _stemmer() -> Callable[[str], str]:
    return lru_cache(maxsize=1 << 16)(porter_stemmer())


@lru_cache(maxsize=2048)
def _sentences(text: str) -> tuple[_Tokens, ...]:
    stem = _stemmer()
    lines = (_TOKEN.findall(line) for line in text.lower().split("\n") if line)
    return tuple(
        tuple(filter(None, (stem(t) if len(t) > _LONGEST_UNSTEMMED else t for t in line)))
        for line in lines
    )


@lru_cache(maxsize=2048)
def _rouge(found: tuple[_Tokens, ...], wanted: tuple[_Tokens, ...]) -> _Rouge:
    """Score the union of subsequences that each sentence of the answer shares with the prediction.

    Sentences are lines (Lsum), or a text is one (L). A token counts at most as often as both
    texts have it.
    """
    shared = Counter(chain(*found)) & Counter(chain(*wanted))
    hits = 0
    # Lines that repeat another share the same, and lines without a common token share nothing.
    lines_with: dict[str, set[_Tokens]] = {token: set() for token in shared}
    for line in set(found) if shared else ():
        for token in shared.keys() & set(line):
            lines_with[token].add(line)
    common: dict[_Tokens, list[int]] = {}
    for sentence in set(wanted) if shared else ():
        lines = set().union(*(lines_with.get(token, ()) for token in sentence))
        common[sentence] = sorted(
            set().union(*(_common_positions(sentence, line) for line in lines))
        )
    for sentence in wanted if shared else ():
        for position in common[sentence]:
            if shared[sentence[position]]:
                shared[sentence[position]] -= 1
                hits += 1
    return _of_hits(hits, sum(map(len, found)), sum(map(len, wanted)))


def _of_hits(hits: int, found: int, wanted: int) -> _Rouge:
    if not hits:
        return 0.0, 0.0
    precision, recall = hits / found, hits / wanted
    return 2 * precision * recall / (precision + recall), recall


def _common_positions(wanted: _Tokens, found: _Tokens) -> set[int]:
    """Return the positions in ``wanted`` of one longest common subsequence.

    Several may be longest; this walks back as ``rouge-score`` does (a match first, then the
    shorter ``wanted``), because the union over lines depends on which one is taken.
    """
    positions: set[int] = set()
    if set(wanted).isdisjoint(found):
        return positions
    places: dict[str, int] = {}
    for position, token in enumerate(wanted):
        places[token] = places.get(token, 0) | 1 << position
    every = (1 << len(wanted)) - 1
    # Bit i of item j: the subsequence of found[:j] is longer in wanted[: i + 1] than in wanted[:i].
    level, columns = every, [0]
    for token in found:
        matches = level & places.get(token, 0)
        level = (level + matches | level - matches) & every
        columns.append(every ^ level)
    i, j = len(wanted), len(found)
    while i and j:
        if wanted[i - 1] == found[j - 1]:
            i, j = i - 1, j - 1
            positions.add(i)
        elif columns[j] >> (i - 1) & 1:
            j -= 1
        else:
            i -= 1
    return positions
