"""Categories and abilities of questions, and their evidence, wherever a run is shown."""

import io
import json
from pathlib import Path

import pytest
from rich.console import Console

import mabench
from mabench.comparison import compare
from mabench.export import export
from mabench.page.questions import PageQuestion
from mabench.page.sections import run_sections
from mabench.reports.comparison import show_comparison
from mabench.results import Run
from tests.command_line import mabench as command
from tests.published_files import locomo, written

_KINDS = {"adversarial": 2, "multi-hop": 1, "open-domain": 1, "single-hop": 2, "temporal": 1}


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[Run]:
    folder = tmp_path_factory.mktemp("runs")
    data = written(folder / "locomo10.json", locomo())
    return [mabench.run(name, data, out=folder / name) for name in ("oracle", "bm25")]


def test_a_comparison_has_the_difference_on_each_type(runs: list[Run]) -> None:
    found = compare(runs)
    (pair,) = found.pairs
    types = pair.types["locomo"]
    assert {kind: one.wins + one.losses + one.ties for kind, one in types.items()} == _KINDS
    assert types["adversarial"].a == 100
    assert json.loads(json.dumps(found.as_dict()))["pairs"][0]["types"]["locomo"]["temporal"]
    stream = io.StringIO()
    show_comparison(found, "markdown", Console(file=stream, width=300))
    text = stream.getvalue()
    assert "| locomo by type | A | B |" in text
    assert "generate" not in text  # Nobody can make more of these histories.


def test_a_page_has_types_evidence_and_verdicts(runs: list[Run]) -> None:
    # A judge's score stands beside the metric, which is a score without it.
    right = {(one.view.verdict, one.view.official) for one in PageQuestion.of_run(runs[0])}
    assert right == {("right", 1.0)}
    sections = {
        one.name: one for one in run_sections(runs[1].summary, PageQuestion.of_run(runs[1]))
    }
    headers = [table.headers[0] for table in sections["scores"].tables]
    assert headers == ["locomo by type"]
    assert sections["parts"].charts
    assert "Evidence" in [table.headers[0] for table in sections["retrieval"].tables]


def test_questions_and_records_for_others_have_them_too(runs: list[Run], tmp_path: Path) -> None:
    for row, sample in zip(runs[1].rows(), runs[1].samples(), strict=True):
        assert row.question_type == sample.question_type
        assert row.evidence_recall == sample.evidence_recall
    done = command("show", "bm25", "--row", "0", "--question", "2", cwd=runs[1].folder.parent)
    assert "Type: multi-hop" in done.stdout
    assert "Evidence: 3 of 3 statements retrieved" in done.stdout
    export(runs[0], "every-eval-ever", tmp_path / "record.json")
    results = json.loads((tmp_path / "record.json").read_text("utf-8"))["evaluation_results"]
    assert [one["evaluation_name"] for one in results] == ["locomo", "locomo"]
    assert "MemoryAgentBench" not in results[0]["metric_config"]["evaluation_description"]
