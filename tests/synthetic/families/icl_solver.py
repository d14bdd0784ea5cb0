"""Rows of labelled texts, and how well they are labelled by plain means."""

from collections.abc import Iterator

from mabench.data.schema import RowContent
from mabench_floor.labels.classifier import Classifier
from mabench_floor.labels.features import Demonstration
from mabench_floor.labels.skill import nearest
from mabench_synthetic import GENERATORS, row_specs

BANKING = "icl_banking77_5900shot_balance"
CLINIC = "icl_clinic150_7050shot_balance"
NLU = "icl_nlu_8296shot_balance"
COARSE = "icl_trec_coarse_6600shot_balance"
FINE = "icl_trec_fine_6400shot_balance"
CLASSES = {BANKING: 77, CLINIC: 150, NLU: 68, COARSE: 6, FINE: 50}


def icl_row(
    source: str, seed: int = 0, tokens: int | None = 12_000, questions: int = 50, **knobs: float
) -> RowContent:
    (spec,) = row_specs(source, seed, tokens=tokens, questions=questions, knobs=knobs)
    return GENERATORS["icl"].make_row(spec)


def demonstrations(row: RowContent) -> list[Demonstration]:
    pairs = (block.rsplit("\nlabel: ", 1) for block in row.context.split("\n\n"))
    return [Demonstration(text, label) for text, label in pairs]


def linear(row: RowContent, _: object = None) -> Iterator[float]:
    """Say of each question whether a linear classifier labels it right."""
    classifier = Classifier(demonstrations(row), tuned=False)
    for question, (gold,) in zip(row.questions, row.answers, strict=True):
        yield float(classifier.value(question) == gold)


def most_alike(row: RowContent, _: object = None) -> Iterator[float]:
    """Say of each question whether the demonstration that is most alike has its label."""
    shown = demonstrations(row)
    for question, (gold,) in zip(row.questions, row.answers, strict=True):
        yield float(nearest(question, shown)[0].value == gold)
