"""Figures for papers, as the command line writes them."""

from __future__ import annotations

import re
from importlib.util import find_spec
from pathlib import Path
from unittest import mock

import pytest

from tests.command_line import mabench, succeed
from tests.comparison.made import made_run
from tests.comparison.test_costs import called

pytestmark = pytest.mark.skipif(find_spec("altair") is None, reason="pip install -e '.[page]'")
_QA = "ruler_qa1_197K"


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    for name, right in (("one", 70), ("two", 40)):
        scores = {_QA: [[1.0] * right + [0.0] * (100 - right)]}
        called(made_run(tmp_path / name, scores, agent=name), cost=0.01)
    return tmp_path


def test_a_figure_of_runs_stands_alone_and_costs_beside_it(runs: Path) -> None:
    done = succeed("compare", "one", "two", "--plot", "new/f.svg", cwd=runs)
    svg = (runs / "new" / "f.svg").read_text()
    texts = re.findall(r">([^<>]+)</text>", svg)
    assert {"one", "two", _QA} <= {*texts}
    assert any(text.startswith("70.0 ") for text in texts)
    assert "var(" not in svg, "the colours of a page are those of its style sheet"
    assert "US dollars" in (runs / "new" / "f-cost.svg").read_text()
    assert done.stderr.count("written: new/") == 2


@pytest.mark.parametrize(("name", "begins"), [("f.pdf", b"%PDF"), ("f.png", b"\x89PNG")])
def test_figures_come_as_pdf_and_png(runs: Path, name: str, begins: bytes) -> None:
    succeed("compare", "one", "two", "--plot", name, cwd=runs)
    assert (runs / name).read_bytes().startswith(begins)


def test_a_sweep_is_drawn(tmp_path: Path) -> None:
    words = ("--source", "factconsolidation_sh", "--knob", "tokens=4k,8k", "--knob", "questions=4")
    succeed("sweep", "bm25", *words, "--out", "swept", "--plot", "s.svg", cwd=tmp_path)
    assert ">8,000</text>" in (tmp_path / "s.svg").read_text()
    assert "percent of questions" in (tmp_path / "s-hits.svg").read_text()


def test_what_cannot_be_drawn_is_said_before_anything_is_done(runs: Path) -> None:
    done = mabench("compare", "one", "two", "--plot", "f.jpg", cwd=runs)
    assert (done.returncode, done.stdout) == (2, "")
    assert "f.jpg: a plot is one of .svg, .pdf, .png" in done.stderr
    with mock.patch.dict("sys.modules", {"vl_convert": None}):
        done = mabench("compare", "one", "two", "--plot", "f.svg", cwd=runs)
    assert (done.returncode, done.stdout) == (1, "")
    assert "[page]'" in done.stderr
