"""The demo of the package: its samples must fit the formats that are read now."""

from pathlib import Path

import pytest

from mabench.page.demo_pages import PACKED, unpack_demo
from mabench.stressing import read_report
from tests.command_line import succeed
from tests.run_folders import check_run_folder


def test_the_packed_runs_fit_the_format_and_are_small(tmp_path: Path) -> None:
    runs, report = unpack_demo(tmp_path)
    assert len(runs) == 4
    for run in runs:
        check_run_folder(run.folder)
        summary = run.summary
        assert summary.spent.n == sum(run.record.questions.values())
        assert not summary.damaged
    assert read_report(report).faults
    assert PACKED.stat().st_size < 400_000


@pytest.mark.slow
def test_the_demo_writes_and_names_a_page(tmp_path: Path) -> None:
    done = succeed("demo", "--out", "page.html", cwd=tmp_path)
    assert "written: page.html" in done.stderr
    page = (tmp_path / "page.html").read_text("utf-8")
    for words in ("What is measured", "are not shown to differ", "A memory with a fault", "floor"):
        assert words in page
    assert [file.name for file in tmp_path.iterdir()] == ["page.html"]
