"""The scores of one run, or of several builds of it, on the questions of a source.

The part of a question is what became of it (``PARTS``), such as right or misread. Several parts
are stages at which what answers a question was lost before it was returned; *missed* says only that
it was.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mabench.results import MISSED, PARTS, Key, QuestionScore
from mabench.uncertainty import Floats, Grouped


class BuildScores(NamedTuple):
    """What B builds have of the n questions of a source, which are in the order of their keys."""

    histories: NDArray[np.intp]  # As ``Grouped`` numbers them.
    # What names the text of each history, as ``Grouped`` has it.
    texts: tuple[Hashable, ...] | None
    kinds: Mapping[str, NDArray[np.bool_]]  # Whether a question is of a type, in shape (n,).
    scores: Floats  # In shape (B, n).
    parts: Mapping[str, Floats]  # 1 for a question that has a part, in shape (B, n).
    undecided: frozenset[str]  # Parts that cannot be counted: some question may have one or not.

    @classmethod
    def of(
        cls,
        builds: Sequence[Mapping[Key, QuestionScore]],
        score: str,
        texts: Mapping[tuple[str, int], Hashable],
    ) -> BuildScores:
        """Draw up the table of some builds by a score, ``official`` or ``corrected``.

        ``texts`` name the text of histories, by split and row, where other histories share it.
        """
        keys = sorted(builds[0])
        answers = [[build[key] for key in keys] for build in builds]
        # An answer without such a score counts as wrong.
        scores = np.array(
            [[float(getattr(answer, score) or 0) for answer in build] for build in answers]
        )
        parts = np.array([[answer.part for answer in build] for build in answers])
        kinds = np.array([answer.question_type or "" for answer in answers[0]])
        places = [(split, row) for split, row, _ in keys]
        shared_texts = None
        if texts:
            shared_texts = tuple(texts.get(place, place) for place in dict.fromkeys(places))
        undecided: set[str] = set()
        for build in answers:
            for answer in build:
                undecided.update(answer.undecided_parts)
        return cls(
            histories=Grouped.of(scores[0], places).histories,
            texts=shared_texts,
            kinds={kind: kinds == kind for kind in sorted({*kinds.tolist()} - {""})},
            scores=scores,
            parts={part: (parts == part).astype(np.float64) for part in PARTS},
            undecided=frozenset(undecided),
        )

    def has_part(self, part: str) -> bool:
        """Return whether a question has a part in any of the builds."""
        return part in self.parts and bool(self.parts[part].any())

    def without_stages(self) -> BuildScores:
        """Return it with *missed* for all stages at which nothing, or not enough, was returned."""
        stages = [*MISSED, "cut"]  # *Missed* itself is one of them.
        missed = sum(self.parts[part] for part in stages)
        none = dict.fromkeys(stages, np.zeros_like(self.scores))
        return self._replace(parts={**self.parts, **none, "missed": np.asarray(missed)})

    def group(self, values: Floats, lowest: float = 0.0, kind: str | None = None) -> Grouped:
        """Return values of the questions by history.

        Args:
            values: in shape (n,).
            lowest: the lowest value that there can be.
            kind: a type of questions; others are left out, and so are histories without one of it.
        """
        if kind is None:
            return Grouped(values, self.histories, self.texts, lowest)
        of_kind = self.kinds[kind]
        kept, histories = np.unique(self.histories[of_kind], return_inverse=True)
        texts = None
        if self.texts:
            texts = tuple(self.texts[history] for history in kept)
        return Grouped(values[of_kind], histories, texts, lowest)
