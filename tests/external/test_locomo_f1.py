import json
from pathlib import Path

import pytest

from mabench_external.locomo_f1 import locomo_f1

CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}


def test_every_published_value_is_reproduced(parity: Path) -> None:
    path = parity / "locomo_scores.jsonl"
    if not path.is_file():
        pytest.skip(f"no {path}")
    lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    assert len(lines) == 1858
    for line in lines:
        category = CATEGORIES[line["category"]]
        value = locomo_f1(line["prediction"], [str(line["answer"])], category)
        assert value == pytest.approx(line["f1"], abs=1e-12), line


@pytest.mark.parametrize(
    ("prediction", "answer", "category", "value"),
    [
        ("The red canoe!", "a red canoe", "single-hop", 1.0),
        ("1,000 trees and a pond", "1000 tree", "single-hop", 0.8),
        ("old, old boat", "old boat", "single-hop", 0.8),
        ("", "a red canoe", "single-hop", 0.0),
        ("the", "a", "single-hop", 0.0),
        ("pears, cats", "cat, dogs", "multi-hop", 0.5),
        ("Likely yes", "Likely yes; she swims", "open-domain", 1.0),
        ("There is NO INFORMATION AVAILABLE on it.", "No", "adversarial", 1.0),
        ("That was not Mentioned", "No", "adversarial", 1.0),
        ("I do not know.", "No", "adversarial", 0.0),
        ("a\u2019s canoe", "canoe", "single-hop", 2 / 3),
    ],
)
def test_values_by_hand(prediction: str, answer: str, category: str, value: float) -> None:
    assert locomo_f1(prediction, [answer], category) == pytest.approx(value)
