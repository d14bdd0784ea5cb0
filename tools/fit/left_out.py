"""What the floor's reader answers of questions that its weights were not fitted to.

    python -m tools.fit.left_out [DATA ...]

Each file of ours is left out in turn, and so are all made-up rows; the signs are chosen and weighed
by the others alone. Real rows (``../shared/data/mab-dev`` and ``mab-dev-qa2`` when no DATA is
named) are never fitted to. Prints a Markdown table: percentages of right answers from the whole
history and from ``bm25``'s passages, for several numbers of signs. It takes a minute and a half.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import fmean

import numpy as np

import mabench
from mabench_floor.qa.evidence import most_voted
from mabench_floor.qa.inference import inferred_answer
from tools.fit.reader import (
    Material,
    Spans,
    asked_twice,
    documents_of,
    fits,
    holds_right_answer,
    questions,
    spans_of,
)

_REAL = ("../shared/data/mab-dev", "../shared/data/mab-dev-qa2")
_SIZES = (40, 30, 20, 10)


def main() -> None:
    """Print the table."""
    spans = spans_of(questions())
    sizes = (len(spans.names), *_SIZES)
    print(f"| left out | all {' | '.join(map(str, sizes))} |")
    print("|---|" + "---:|" * len(sizes))
    groups = list(dict.fromkeys(_group(each.writer) for each in spans.asked))
    for group in groups:
        own = [_group(each.writer) == group for each in spans.asked]
        rest = spans.of(np.flatnonzero(np.logical_not(own)).tolist())
        _print_lines(spans.of(np.flatnonzero(own).tolist()), list(fits(rest, sizes)))
    real = list(asked_twice(_real(sys.argv[1:] or _REAL)))
    if real:
        _print_lines(spans_of(real), list(fits(spans, sizes)))


def _group(writer: str) -> str:
    return writer if writer.endswith(".txt") else "made-up rows"


def _real(paths: Sequence[str]) -> Iterator[Material]:
    for path in filter(Path.exists, map(Path, paths)):
        for row in mabench.load(path).rows():
            if row.source.startswith("ruler"):
                pairs = zip(row.questions, row.answers, strict=True)
                writer = f"{row.source}, real"
                yield (
                    documents_of(row.context),
                    [(asked, gold, 1.0, writer) for asked, gold in pairs],
                )


def _print_lines(spans: Spans, weights: Sequence[Mapping[str, float]]) -> None:
    """Print a line for each writer: shares of right answers, by each of several weights."""
    inferred = [inferred_answer(e.question, e.question, e.skill.search) for e in spans.asked]
    shares: defaultdict[str, list[str]] = defaultdict(list)
    for each in weights:
        right: defaultdict[tuple[str, bool], list[bool]] = defaultdict(list)
        scores = spans.signs @ np.array([each.get(name, 0.0) for name in spans.names])
        for n, asked in enumerate(spans.asked):
            own = slice(spans.starts[n], spans.starts[n + 1])
            answer = inferred[n] or most_voted(
                zip(spans.texts[own], scores[own].tolist(), strict=True)
            )
            is_right = answer is not None and holds_right_answer(answer, asked.golds)
            right[_title(asked.writer), asked.skill.reads_passages].append(is_right)
        for writer in dict.fromkeys(writer for writer, _ in right):
            whole, found = (100 * fmean(right[writer, passages]) for passages in (False, True))
            shares[writer].append(f"{whole:.1f} / {found:.1f}")
    for writer, cells in shares.items():
        print(f"| {writer} | {' | '.join(cells)} |", flush=True)


def _title(writer: str) -> str:
    """Return the file, or the source of made-up rows without its seed."""
    is_made_up = writer.rpartition(" ")[2].isdigit()
    return f"{writer.rpartition(' ')[0]}, made up" if is_made_up else writer


if __name__ == "__main__":
    main()
