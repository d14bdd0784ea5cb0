"""The published text metrics over all candidates, and which reading of the output they take.

Normalised strings are matched exactly, as a substring, and by shared tokens (SQuAD's measures).
"""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

from mabench.scoring.official.rouge import rouge_l, rouge_lsum

_ARTICLES = re.compile(r"\b(?:a|an|the)\b")
_NO_PUNCTUATION = str.maketrans("", "", string.punctuation)
_ALL_OR_NOTHING = frozenset({"yes", "no", "noanswer"})
_MARKED = re.compile("Answer:(.*)", re.IGNORECASE)
_REPEATED = re.compile("Answer:", re.IGNORECASE)

Scores = dict[str, bool | float]


@lru_cache(maxsize=8192)
def normalize(text: str) -> str:
    """Lower ``text``, delete ASCII punctuation and English articles, squeeze white space.

    Punctuation leaves no space behind (``vice-president`` becomes ``vicepresident``) and
    typographic quotes stay, as in the published scorer.
    """
    bare = text.lower().translate(_NO_PUNCTUATION)
    return " ".join(_ARTICLES.sub(" ", bare).split())


def exact_match(prediction: str, answer: str) -> bool:
    """Say whether the two are equal once normalised."""
    return normalize(prediction) == normalize(answer)


def substring_exact_match(prediction: str, answer: str) -> bool:
    """Say whether the normalised answer stands anywhere in the normalised prediction.

    Word boundaries play no part, and an answer that normalises to nothing stands everywhere.
    """
    return normalize(answer) in normalize(prediction)


def f1(prediction: str, answer: str) -> float:
    """Return the harmonic mean of token precision and recall, from 0 to 1.

    When one side is yes, no or noanswer, the other must be the same or the score is 0.
    """
    found, wanted = normalize(prediction), normalize(answer)
    if found != wanted and not _ALL_OR_NOTHING.isdisjoint((found, wanted)):
        return 0.0
    found_tokens, wanted_tokens = found.split(), wanted.split()
    shared = (Counter(found_tokens) & Counter(wanted_tokens)).total()
    if not shared:
        return 0.0
    precision, recall = shared / len(found_tokens), shared / len(wanted_tokens)
    return 2 * precision * recall / (precision + recall)


def parse_answer(output: str) -> str:
    """Return what follows the first ``Answer:`` on its line; without one, the first line.

    Case plays no part, and one repetition of ``Answer:`` is dropped. Lines end at a line feed
    only, so an answer that begins on the next line is lost, as in the published scorer.
    """
    marked = _MARKED.search(output)
    answer = (marked[1] if marked else output.partition("\n")[0]).strip()
    repeated = _REPEATED.match(answer)
    return answer[repeated.end() :].strip() if repeated else answer


def text_scores(prediction: str, answers: Sequence[str]) -> Scores:
    """Return every text metric of the published scorer, each the best over the candidates.

    Args:
        prediction: the output to score, as it is.
        answers: the acceptable strings; without any, every metric is 0.

    Returns:
        ``exact_match`` and ``substring_exact_match`` as bools; ``f1``, ``rougeL_f1``,
        ``rougeL_recall``, ``rougeLsum_f1`` and ``rougeLsum_recall`` from 0 to 1.
    """
    scores = [_pair_scores(prediction, answer) for answer in dict.fromkeys(answers)]
    if not scores:  # Each metric is the zero of its type.
        return {name: type(score)() for name, score in _pair_scores("", "").items()}
    return _best(scores)


def raw_or_parsed(prediction: str, answers: Sequence[str]) -> Scores:
    """Return each metric as the larger of its values on the output and on the parsed answer."""
    raw, parsed = text_scores(prediction, answers), parse_answer(prediction)
    return raw if parsed == prediction else _best((raw, text_scores(parsed, answers)))


def parsed_only(prediction: str, answers: Sequence[str]) -> Scores:
    """Return the metrics of the parsed answer alone (icl and eventqa)."""
    return text_scores(parse_answer(prediction), answers)


def eventqa_recall(prediction: str, answers: Sequence[str]) -> int:
    """Return 1 when every answer stands in the output as it is, case aside, else 0."""
    output = prediction.lower()
    return int(bool(answers) and all(answer.lower() in output for answer in answers))


def _pair_scores(prediction: str, answer: str) -> Scores:
    plain, summary = rouge_l(prediction, answer), rouge_lsum(prediction, answer)
    return {
        "exact_match": exact_match(prediction, answer),
        "f1": f1(prediction, answer),
        "substring_exact_match": substring_exact_match(prediction, answer),
        "rougeL_f1": plain.f1,
        "rougeL_recall": plain.recall,
        "rougeLsum_f1": summary.f1,
        "rougeLsum_recall": summary.recall,
    }


def _best(scores: Sequence[Scores]) -> Scores:
    columns = zip(*(score.values() for score in scores), strict=True)
    return dict(zip(scores[0], map(max, columns), strict=True))
