"""The published text metrics over all candidates, and which reading of the output they take."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from mabench.scoring.official.overlap import exact_match, f1, substring_exact_match
from mabench.scoring.official.rouge import rouge_l, rouge_lsum

_MARKED = re.compile("Answer:(.*)", re.IGNORECASE)
_REPEATED = re.compile("Answer:", re.IGNORECASE)

Scores = dict[str, bool | float]


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
    return _best(_pair_scores(prediction, answer) for answer in dict.fromkeys(answers))


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


_NOTHING: Scores = {
    "exact_match": False,
    "f1": 0.0,
    "substring_exact_match": False,
    "rougeL_f1": 0.0,
    "rougeL_recall": 0.0,
    "rougeLsum_f1": 0.0,
    "rougeLsum_recall": 0.0,
}


def _best(scores: Iterable[Scores]) -> Scores:
    best = dict(_NOTHING)
    for score in scores:
        best = {name: max(value, score[name]) for name, value in best.items()}
    return best
