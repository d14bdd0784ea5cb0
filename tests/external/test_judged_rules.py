"""Verdicts of judges become scores as published: BEAM, RealMem and HaluMem.

Second implementations are written by somebody who knew the published code and not ours; see
``second_rules``.
"""

import json
import math
import random
from statistics import fmean

import pytest

from mabench.families.rubric import JudgingInput, Rubric
from mabench_external.beam.family import FAMILY as BEAM
from mabench_external.judged import HALUMEM, REALMEM
from tests.external.second_rules import (
    aggregate_halumem,
    aggregate_realmem,
    score_beam_order,
    score_beam_rubric,
)


def _scores(rubric: Rubric | None, case: JudgingInput, replies: list[str]) -> tuple[float, float]:
    """Return the published and the corrected score of a judge's replies."""
    assert rubric
    verdict: dict[str, int] = {}
    for prompt, reply in zip(rubric.prompts_for(case), replies, strict=True):
        verdict |= prompt.read(reply) or {}
    return (rubric.published or rubric.value)(verdict), rubric.value(verdict)


def test_half_of_a_line_counts_nothing_in_beam() -> None:
    chosen, scores = random.Random(65), []
    for _ in range(2_000):
        given = chosen.choices((0, 0.5, 1, 1.0, 0.0), k=chosen.randint(1, 8))
        case = JudgingInput("q", [], "Tea.", "1", "abstention", ["line"] * len(given))
        published, corrected = _scores(BEAM.rubric, case, [f'{{"score": {one}}}' for one in given])
        assert published == pytest.approx(score_beam_rubric(given))
        assert corrected == pytest.approx(fmean(given))
        scores.append(published)
    assert min(map(scores.count, (0, 0.5, 1))) > 100


def test_events_are_ordered_as_in_beam() -> None:
    chosen, nothing, one_thing = random.Random(65), 0, 0
    for _ in range(2_000):
        lines = chosen.choice((1, 1, 2, 3, 4, 6))
        order = chosen.sample(range(1, lines + 1), chosen.randint(0, lines))
        order += [0] * chosen.choice((0, 0, 1, 3))
        chosen.shuffle(order)
        case = JudgingInput("q", [], "Tea.", "1", "event_ordering", [f"e{n}" for n in range(lines)])
        published, corrected = _scores(BEAM.rubric, case, [json.dumps({"order": order})])
        rubric = [f"line {number + 1}" for number in range(lines)]
        aligned = [f"line {line}" if line else f"item {at}" for at, line in enumerate(order)]
        # An answer without an item is one empty line of the published code.
        second = score_beam_order(rubric, aligned or [""])
        if math.isnan(second):
            assert (lines, order, published, corrected) == (1, [1], 1, 1)
            one_thing += 1
            continue
        assert published == pytest.approx(second), order
        assert corrected == pytest.approx(second if any(order) else 0), order
        nothing += not any(order)
    assert 100 < nothing < 1_900
    assert one_thing > 10


def test_grades_are_added_up_as_in_realmem() -> None:
    chosen, case = random.Random(65), JudgingInput("q", ["Tea."], "Tea.")
    grades = [chosen.randint(0, 3) for _ in range(2_000)]
    scores = [_scores(REALMEM.rubric, case, [f'{{"score": {one}}}'])[0] for one in grades]
    second = aggregate_realmem([{"score": grade} for grade in grades])
    assert second == {
        "average_qa_score": round(3 * fmean(scores), 4),
        "qa_hallucination_rate": round(scores.count(0) / len(scores), 4),
        "qa_perfect_rate": round(scores.count(1) / len(scores), 4),
    }
    assert min(map(scores.count, (0, 1 / 3, 2 / 3, 1))) > 100


def test_only_a_correct_answer_counts_in_halumem() -> None:
    chosen, case = random.Random(65), JudgingInput("q", ["Tea."], "Tea.")
    words = ("Hallucination", "Omission", "Correct")
    verdicts = [chosen.randint(0, 2) for _ in range(2_000)]
    scores = [_scores(HALUMEM.rubric, case, [f'{{"verdict": {one}}}'])[0] for one in verdicts]
    points = [
        {"memory_source": source, "memory_integrity_score": 2}
        for source in ("primary", "interference")
    ]
    true = {"is_included_in_golden_memories": "true", "memory_accuracy_score": 2}
    second = aggregate_halumem(
        {
            "memory_integrity_records": points,
            "memory_accuracy_records": [true],
            "memory_update_records": [{"memory_update_type": "Correct"}],
            "question_answering_records": [{"result_type": words[one]} for one in verdicts],
        }
    )
    assert second["question_answering"]["correct_qa_ratio(all)"] == pytest.approx(fmean(scores))
    assert 100 < sum(scores) < 1_900
