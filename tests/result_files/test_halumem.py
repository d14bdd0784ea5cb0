"""HaluMem's verdicts are added up by its published formula, and equal what its files claim."""

import random
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest

from mabench.errors import DataError
from mabench.results import score_files
from mabench_results.halumem import FORMAT
from tests.external.made_up import write_json

_TYPES = ("Persona Memory", "Event Memory", "Relationship Memory")


def _records(count: int) -> dict[str, list[dict[str, Any]]]:
    """Made-up verdicts of all four kinds, some of which a judge failed to give."""
    chosen = random.Random(65)
    integrity, accuracy, updates, answers = [], [], [], []
    for number in range(count):
        own: dict[str, Any] = {
            "uuid": f"u{number % 7}",
            "memory_content": f"m{number}",
            "importance": 0.5,
        }
        source = chosen.choice(("primary", "secondary", "system", "interference"))
        own |= {"memory_type": chosen.choice(_TYPES), "memory_source": source}
        integrity.append(own | {"memory_integrity_score": chosen.choice((0, 1, 2, None))})
        included = chosen.choice(("true", "True", "false", "Arden"))
        score = chosen.choice((0, 1, 2, None))
        accuracy.append(
            {"uuid": "u1", "memory_content": "m", "memory_accuracy_score": score}
            | {"is_included_in_golden_memories": included}
        )
        kind = chosen.choice(("Correct", "Hallucination", "Omission", "Other", None))
        updates.append(own | {"memory_update_type": kind})
        kind = chosen.choice(("Correct", "Hallucination", "Omission", None))
        said: dict[str, Any] = {"result_type": kind, "question_type": "Recall"}
        answers.append(
            said
            | {"uuid": "u1", "question": f"Which town, {number}?", "answer": "Arden"}
            | {"system_response": "Bree"}
        )
    return {
        "memory_integrity_records": integrity,
        "memory_accuracy_records": accuracy,
        "memory_update_records": updates,
        "question_answering_records": answers,
    }


def _means(records: dict[str, list[dict[str, Any]]]) -> dict[str, dict[str, float]]:
    """The published means over all, with counters as its description has them."""
    wanted = found = planted = resisted = 0
    for one in records["memory_integrity_records"]:
        if one["memory_source"] == "interference":
            planted += 1
            resisted += one["memory_integrity_score"] == 0
        else:
            wanted += 1
            found += one["memory_integrity_score"] == 2
    targets = true_targets = true = 0.0
    for one in records["memory_accuracy_records"]:
        half = 0.5 * (one["memory_accuracy_score"] or 0)
        true += half
        if one["is_included_in_golden_memories"].lower() == "true":
            targets += 1
            true_targets += half
    updated = [one["memory_update_type"] for one in records["memory_update_records"]]
    answered = [one["result_type"] for one in records["question_answering_records"]]
    return {
        "memory_integrity": {"recall(all)": found / wanted},
        "memory_accuracy": {
            "interference_accuracy(all)": resisted / planted,
            "target_accuracy(all)": true_targets / targets,
            "weighted_accuracy(all)": true / len(records["memory_accuracy_records"]),
        },
        "memory_update": {
            "correct_update_memory_ratio(all)": updated.count("Correct") / len(updated)
        },
        "question_answering": {"correct_qa_ratio(all)": answered.count("Correct") / len(answered)},
    }


def _file(folder: Path, count: int = 2_000, **changed: Any) -> Path:
    records = _records(count)
    content = {"overall_score": _means(records), **records}
    return write_json(folder / "memzero_eval_stat_result.json", content | changed)


def test_means_of_verdicts_are_those_that_the_file_claims(tmp_path: Path) -> None:
    runs = [*FORMAT.read(_file(tmp_path))]
    assert len(runs) == 6
    for run in runs:
        [claim] = run.claims
        counted = [one.counted for one in run.answers if one.counted is not None]
        assert claim.value == pytest.approx(fmean(counted))
        assert claim.questions == len(run.answers) == len(counted)


def test_a_mean_that_does_not_follow_is_named(tmp_path: Path) -> None:
    means = _means(_records(50))
    means["memory_update"]["correct_update_memory_ratio(all)"] += 0.1
    summaries = score_files([_file(tmp_path, 50, overall_score=means)])
    assert len(summaries) == 6
    wrong = [claim for one in summaries for claim in one.check.claims if not claim.holds]
    assert [claim.what for claim in wrong] == ["correct_update_memory_ratio(all)"]


def test_a_wrong_verdict_is_named(tmp_path: Path) -> None:
    records = _records(3)["memory_integrity_records"]
    records[1] |= {"memory_integrity_score": 3, "memory_source": "primary"}
    file = _file(tmp_path, 3, memory_integrity_records=records)
    with pytest.raises(DataError, match=r"\[1\].memory_integrity_score: found 3, expected"):
        score_files([file])
