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
    sizes = (len(spans.names), *_SIZES)  # Numbers of signs: all, and fewer.
    print(f"| left out | all {' | '.join(map(str, sizes))} |")
    print("|---|" + "---:|" * len(sizes))
    groups = [_group_of(asked.writer) for asked in spans.asked]
    for left_out in dict.fromkeys(groups):
        tested = [index for index, group in enumerate(groups) if group == left_out]
        fitted = [index for index, group in enumerate(groups) if group != left_out]
        _print_lines(spans.of(tested), list(fits(spans.of(fitted), sizes)))
    real = list(asked_twice(_read_real_rows(sys.argv[1:] or _REAL)))
    if real:
        _print_lines(spans_of(real), list(fits(spans, sizes)))


def _group_of(writer: str) -> str:
    """Return what is left out together with a question: its file, or all made-up rows."""
    return writer if writer.endswith(".txt") else "made-up rows"


def _read_real_rows(paths: Sequence[str]) -> Iterator[Material]:
    """Yield the documents and questions of each row of the data sets that are there."""
    for path in paths:
        if not Path(path).exists():
            continue
        for row in mabench.load(Path(path)).rows():
            if row.source.startswith("ruler"):  # Its histories are documents.
                pairs = zip(row.questions, row.answers, strict=True)
                writer = f"{row.source}, real"
                yield (
                    documents_of(row.context),
                    [(question, golds, 1.0, writer) for question, golds in pairs],
                )


def _print_lines(spans: Spans, weights: Sequence[Mapping[str, float]]) -> None:
    """Print a line for each writer of questions, with a cell for each of several weights.

    A cell has the percentages of right answers from the whole history and from passages.
    """
    inferred = [
        inferred_answer(asked.question, asked.question, asked.skill.search) for asked in spans.asked
    ]
    cells_by_writer: defaultdict[str, list[str]] = defaultdict(list)
    for weight_of_sign in weights:
        # By writer, whether each question is answered right.
        from_history: defaultdict[str, list[bool]] = defaultdict(list)
        from_passages: defaultdict[str, list[bool]] = defaultdict(list)
        scores = spans.signs @ np.array([weight_of_sign.get(name, 0.0) for name in spans.names])
        for index, asked in enumerate(spans.asked):
            own = slice(spans.starts[index], spans.starts[index + 1])
            answer = inferred[index] or most_voted(
                zip(spans.texts[own], scores[own].tolist(), strict=True)
            )
            is_right = answer is not None and holds_right_answer(answer, asked.golds)
            by_writer = from_passages if asked.skill.reads_passages else from_history
            by_writer[_title_of(asked.writer)].append(is_right)
        for writer, are_right in from_history.items():
            whole, found = 100 * fmean(are_right), 100 * fmean(from_passages[writer])
            cells_by_writer[writer].append(f"{whole:.1f} / {found:.1f}")
    for writer, cells in cells_by_writer.items():
        print(f"| {writer} | {' | '.join(cells)} |", flush=True)


def _title_of(writer: str) -> str:
    """Return the file, or the source of made-up rows without its seed."""
    source, _, seed = writer.rpartition(" ")
    return f"{source}, made up" if seed.isdigit() else writer


if __name__ == "__main__":
    main()
