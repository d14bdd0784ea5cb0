"""What the floor's reader answers of questions that its weights were not fitted to.

    python -m tools.fit.left_out [DATA ...]

Each file of ours is left out in turn, and so are all made-up rows; the signs are chosen and weighed
by the others alone. Real rows (``../shared/data/mab-dev`` and ``mab-dev-qa2`` when no DATA is
named) are never fitted to. Prints a Markdown table: percentages of right answers from the whole
history and from ``bm25``'s passages, for several numbers of signs.
"""

from __future__ import annotations

import math
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import fmean

import mabench
from mabench_floor.qa.evidence import best_span_by
from mabench_floor.qa.inference import inferred_answer
from tools.fit.reader import (
    Asked,
    Material,
    Spans,
    asked_twice,
    documents_of,
    fit,
    holds_right_answer,
    questions,
    spans_of,
)

_REAL = ("../shared/data/mab-dev", "../shared/data/mab-dev-qa2")
_SIZES = (10, 20, 30, 40, math.inf)
_ALL = "all"


def main() -> None:
    """Print the table."""
    own = list(questions())
    spans = spans_of(own)
    real = list(asked_twice(_real(sys.argv[1:] or _REAL)))
    lines: defaultdict[str, list[str]] = defaultdict(list)
    for size in _SIZES:
        most = len(spans.names) if size == math.inf else int(size)
        for name, asked, weights in _folds(spans, real, most):
            lines[name].append(_share(asked, weights))
    print(f"| left out | {' | '.join(str(size) for size in _SIZES[:-1])} | {_ALL} |")
    print("|---|" + "---:|" * len(_SIZES))
    for name, cells in lines.items():
        print(f"| {name} | {' | '.join(cells)} |", flush=True)


def _folds(
    spans: Spans, real: Sequence[Asked], most: int
) -> Iterator[tuple[str, list[Asked], Mapping[str, float]]]:
    """Yield what is left out, its questions, and the weights fitted to the others."""
    groups = list(dict.fromkeys(_group(each.writer) for each in spans.asked))
    for group in groups:
        others = [n for n, each in enumerate(spans.asked) if _group(each.writer) != group]
        weights = fit(spans.of(others), most)
        for part in sorted({_part(each) for each in spans.asked if _group(each.writer) == group}):
            yield part, [each for each in spans.asked if _part(each) == part], weights
    weights = fit(spans, most)
    for name in dict.fromkeys(each.writer for each in real):
        yield f"real {name}", [each for each in real if each.writer == name], weights


def _group(writer: str) -> str:
    return writer if writer.endswith(".txt") else "made-up rows"


def _part(asked: Asked) -> str:
    """Return the file, or the source of made-up rows without its seed."""
    writer = asked.writer
    return writer if writer.endswith(".txt") else f"made-up {writer.rpartition(' ')[0]}"


def _real(paths: Sequence[str]) -> Iterator[Material]:
    for path in filter(Path.exists, map(Path, paths)):
        for row in mabench.load(path).rows():
            if row.source.startswith("ruler"):
                pairs = zip(row.questions, row.answers, strict=True)
                yield documents_of(row.context), [(q, golds, 1.0, row.source) for q, golds in pairs]


def _share(asked: Sequence[Asked], weights: Mapping[str, float]) -> str:
    """Return the percentages of the questions asked of all documents, and of passages."""
    shares = []
    for wanted in (False, True):
        own = [each for each in asked if each.skill.reads_passages == wanted]
        shares.append(100 * fmean(_is_right(each, weights) for each in own))
    return " / ".join(f"{share:.1f}" for share in shares)


def _is_right(asked: Asked, weights: Mapping[str, float]) -> bool:
    skill, question = asked.skill, asked.question
    answer = inferred_answer(question, question, skill.search)
    if answer is None:
        answer = best_span_by(weights, question, skill.best_hits(question), skill.search)
    return answer is not None and holds_right_answer(answer, asked.golds)


if __name__ == "__main__":
    main()
