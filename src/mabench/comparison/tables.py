"""The scores of one run, or of several builds of it, on the questions of a source."""

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
        questions = sorted(builds[0])
        answers = [[build[key] for key in questions] for build in builds]
        scores = np.array([[float(getattr(one, score) or 0) for one in build] for build in answers])
        parts = np.array([[one.part for one in build] for build in answers])
        kinds = np.array([one.question_type or "" for one in answers[0]])
        places = [key[:2] for key in questions]
        named = tuple(texts.get(place, place) for place in dict.fromkeys(places))
        return cls(
            Grouped.of(scores[0], places).histories,
            named if texts else None,
            {kind: kinds == kind for kind in sorted({*kinds.tolist()} - {""})},
            scores,
            {part: (parts == part).astype(np.float64) for part in PARTS},
            frozenset(part for build in answers for one in build for part in one.undecided_parts),
        )

    def without_stages(self) -> BuildScores:
        """Return it with *missed* for all stages at which nothing, or not enough, was returned."""
        stages = [*MISSED, "cut"]
        missed = sum(self.parts[part] for part in stages)
        none = dict.fromkeys(stages, np.zeros_like(self.scores))
        return self._replace(parts={**self.parts, **none, "missed": np.asarray(missed)})

    def group(self, values: Floats, lowest: float = 0.0, kind: str | None = None) -> Grouped:
        """Return values of the questions by history; of those of a type, if it is named."""
        if kind is None:
            return Grouped(values, self.histories, self.texts, lowest)
        of_kind = self.kinds[kind]
        kept, histories = np.unique(self.histories[of_kind], return_inverse=True)
        texts = self.texts and tuple(self.texts[history] for history in kept)
        return Grouped(values[of_kind], histories, texts, lowest)
