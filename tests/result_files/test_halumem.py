"""HaluMem's verdicts are added up by its published formula, and equal what its files claim.

What they claim is by a second implementation, of somebody who knew the published code and not ours;
see ``tests/external/second_rules.py``.
"""

import random
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest

from mabench.errors import DataError
from mabench.results import score_files
from mabench_results.halumem import FORMAT
from tests.external.made_up import write_json
from tests.external.second_rules import aggregate_halumem

_TYPES = ("Persona Memory", "Event Memory", "Relationship Memory")
_SCORES = (0, 1, 2, None, 2.0, 0.5, True)
_VERDICTS = ("Correct", "Hallucination", "Omission", None, "correct", "Correct ", "")


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
        integrity.append(own | {"memory_integrity_score": chosen.choice(_SCORES)})
        included = chosen.choice(("true", "True", "false", "TRUE", "Arden", True, None))
        score = chosen.choice(_SCORES)
        accuracy.append(
            {"uuid": "u1", "memory_content": "m", "memory_accuracy_score": score}
            | {"is_included_in_golden_memories": included}
        )
        kind = chosen.choice((*_VERDICTS, "Other"))
        updates.append(own | {"memory_update_type": kind})
        kind = chosen.choice(_VERDICTS)
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


def _file(folder: Path, count: int = 4_000, **changed: Any) -> Path:
    records = _records(count)
    content = {"overall_score": aggregate_halumem(records), **records}
    return write_json(folder / "memzero_eval_stat_result.json", content | changed)


def test_means_of_verdicts_are_those_that_the_file_claims(tmp_path: Path) -> None:
    runs = [*FORMAT.read(_file(tmp_path))]
    assert len(runs) == 6
    for run in runs:
        [claim] = run.claims
        counted = [one.counted for one in run.answers if one.counted is not None]
        assert claim.value == pytest.approx(fmean(counted))
        assert claim.questions == len(run.answers) == len(counted)
        assert all(sum(value == one for value in counted) > 100 for one in (0, 1))


def test_a_mean_that_does_not_follow_is_named(tmp_path: Path) -> None:
    means = aggregate_halumem(_records(50))
    means["memory_update"]["correct_update_memory_ratio(all)"] += 0.1
    summaries = score_files([_file(tmp_path, 50, overall_score=means)])
    assert len(summaries) == 6
    wrong = [claim for one in summaries for claim in one.check.claims if not claim.holds]
    assert [claim.what for claim in wrong] == ["correct_update_memory_ratio(all)"]


def test_a_wrong_verdict_is_named(tmp_path: Path) -> None:
    records = _records(50)["memory_integrity_records"]
    records[1] |= {"memory_integrity_score": 3, "memory_source": "primary"}
    file = _file(tmp_path, 50, memory_integrity_records=records)
    with pytest.raises(DataError, match=r"\[1\].memory_integrity_score: found 3, expected"):
        score_files([file])
