"""Categories and abilities of questions, and their evidence, wherever a run is shown."""

import io
import json
from pathlib import Path

import pytest
from rich.console import Console

import mabench
from mabench.comparison import compare
from mabench.export import export
from mabench.models import ModelSpec
from mabench.page.questions import PageQuestion
from mabench.page.run_pages import run_sections
from mabench.reports.comparison import show_comparison
from mabench.results import Run, judge
from mabench.specs import JudgeSpec
from tests.command_line import mabench as command
from tests.comparison.made import made_run
from tests.models.server import serving
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


def test_a_table_of_a_run_has_types_and_evidence(runs: list[Run], tmp_path: Path) -> None:
    for row, sample in zip(runs[1].rows(), runs[1].samples(), strict=True):
        assert row.question_type == sample.question_type
        assert row.evidence_recall == sample.evidence_recall
    export(runs[1], "csv", tmp_path / "run.csv")
    first = (tmp_path / "run.csv").read_text("utf-8").splitlines()[0]
    assert "question_type,evidence_recall" in first


def test_a_question_is_shown_with_its_type_and_how_much_evidence_was_found(runs: list[Run]) -> None:
    done = command("show", "bm25", "--row", "0", "--question", "2", cwd=runs[1].folder.parent)
    assert "Type: multi-hop" in done.stdout
    assert "Evidence: 3 of 3 statements retrieved" in done.stdout


def test_records_for_others_do_not_call_it_the_metric_of_this_benchmark(
    runs: list[Run], tmp_path: Path
) -> None:
    export(runs[0], "every-eval-ever", tmp_path / "record.json")
    results = json.loads((tmp_path / "record.json").read_text("utf-8"))["evaluation_results"]
    assert [one["evaluation_name"] for one in results] == ["locomo", "locomo"]
    assert "MemoryAgentBench" not in results[0]["metric_config"]["evaluation_description"]


def test_a_judge_beside_the_metric_replaces_no_score_of_a_question(
    runs: list[Run], key_and_cache: Path
) -> None:
    with serving(lambda prompt: "no") as served:
        spec = JudgeSpec(model=ModelSpec("judge", base_url=served.url))
        judged = judge(runs[0].folder, spec).run
    assert [one.official for one in judged.rows()] == [1.0] * 7
    assert {one.view.official for one in PageQuestion.of_run(judged)} == {1.0}


def test_no_table_of_categories_stands_where_no_source_feeds_a_column(tmp_path: Path) -> None:
    folder = made_run(tmp_path / "run", {"eventqa_65536": [[1.0, 0.0]]})
    done = command("report", str(folder), cwd=tmp_path)
    assert "eventqa_65536" in done.stdout
    assert "Overall" not in done.stdout
    assert "partial" not in done.stdout
