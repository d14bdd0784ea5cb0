"""Rows of labelled texts, read back, and how well a linear classifier labels them."""

from __future__ import annotations

from collections.abc import Mapping
from statistics import fmean

from mabench.data.schema import RowContent
from mabench_floor.labels.classifier import Classifier
from mabench_floor.labels.demonstrations import Demonstration
from mabench_floor.labels.skill import nearest
from mabench_synthetic import GENERATORS, row_specs

BANKING = "icl_banking77_5900shot_balance"
CLINIC = "icl_clinic150_7050shot_balance"
NLU = "icl_nlu_8296shot_balance"
COARSE = "icl_trec_coarse_6600shot_balance"
FINE = "icl_trec_fine_6400shot_balance"
CLASSES = {BANKING: 77, CLINIC: 150, NLU: 68, COARSE: 6, FINE: 50}


def icl_row(
    source: str,
    seed: int = 0,
    *,
    tokens: int | None = 12_000,
    questions: int = 50,
    knobs: Mapping[str, float] | None = None,
    **more: float,
) -> RowContent:
    (spec,) = row_specs(
        source, seed, tokens=tokens, questions=questions, knobs={**(knobs or {}), **more}
    )
    return GENERATORS["icl"].make_row(spec)


def demonstrations(row: RowContent) -> list[Demonstration]:
    pairs = (block.rsplit("\nlabel: ", 1) for block in row.context.split("\n\n"))
    return [Demonstration(text, label) for text, label in pairs]


def linear_score(row: RowContent) -> float:
    classifier = Classifier(demonstrations(row), tuned=False)
    asked = zip(row.questions, row.answers, strict=True)
    return 100 * fmean(classifier.value(question) == gold for question, (gold,) in asked)


def nearest_score(row: RowContent) -> float:
    """Return how many of 100 questions have the label of the demonstration that is most alike."""
    shown = demonstrations(row)
    asked = zip(row.questions, row.answers, strict=True)
    return 100 * fmean(nearest(question, shown)[0].value == gold for question, (gold,) in asked)
