"""The document: what its text says, without a browser. It takes the extra `page`."""

from __future__ import annotations

import base64
import hashlib
import re
import sys
from html.parser import HTMLParser
from importlib.util import find_spec
from pathlib import Path

import pytest

from mabench.errors import MissingPackageError, UsageError
from mabench.page.pages import comparison_page, run_page
from mabench.results import Run
from tests.command_line import mabench, succeed
from tests.page.made import QA, failed, hostile, plain, sample, written

needs_extra = pytest.mark.skipif(
    not all(map(find_spec, ("altair", "vl_convert", "jinja2"))),
    reason="the extra `page` is not installed: pip install -e '.[page]'",
)


@pytest.fixture(scope="module")
def text(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The page of a plain run."""
    return run_page(plain(tmp_path_factory.mktemp("page") / "run"))


class Tags(HTMLParser):
    """Every tag of a document with its attributes, and the text of scripts."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def named(self, name: str) -> list[dict[str, str | None]]:
        return [attributes for tag, attributes in self.tags if tag == name]


@pytest.mark.parametrize("module", ["altair", "vl_convert", "jinja2"])
def test_a_missing_package_is_named_with_its_extra(
    module: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("altair", "vl_convert", "jinja2"):
        monkeypatch.setitem(sys.modules, name, None if name == module else sys)
    with pytest.raises(MissingPackageError, match=rf"{module} is not .*\[page\]"):
        run_page(plain(tmp_path / "run"))


def test_a_sweep_complains_before_it_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "altair", None)
    words = "sweep bm25 --source factconsolidation_sh --knob tokens=1k,2k --page page.html"
    done = mabench(*words.split(), cwd=tmp_path)
    assert done.returncode == 1
    assert "[page]'" in done.stderr
    assert not (tmp_path / "runs").exists()


@needs_extra
def test_one_script_runs_and_nothing_is_fetched(tmp_path: Path) -> None:
    text = run_page(hostile(tmp_path / "run"))
    tags = Tags(text)
    assert len(tags.named("script")) == 1
    script = re.search(r"<script>(.*?)</script>", text, re.DOTALL)
    assert script is not None
    digest = base64.b64encode(hashlib.sha256(script[1].encode()).digest()).decode()
    (policy,) = (
        one["content"]
        for one in tags.named("meta")
        if one.get("http-equiv") == "Content-Security-Policy"
    )
    assert policy is not None
    parts = [part.split() for part in policy.split(";")]
    assert {name: values for name, *values in parts} == {
        "default-src": ["'none'"],
        "script-src": [f"'sha256-{digest}'"],
        "style-src": ["'unsafe-inline'"],
        "img-src": ["data:"],
        "base-uri": ["'none'"],
        "form-action": ["'none'"],
    }
    for tag, attributes in tags.tags:
        assert tag not in {"iframe", "img", "object", "embed", "base"}
        for name, value in attributes.items():
            assert not name.startswith("on")
            if name in {"src", "href", "xlink:href", "action"}:
                assert (value or "").startswith(("#", "data:,"))
    assert "url(" not in text.replace("url(#", "")
    assert "innerHTML" not in text
    assert len(script[1].splitlines()) < 400


@needs_extra
def test_a_page_tells_what_a_run_is_and_has_its_figures_beside_its_charts(text: str) -> None:
    figures = re.findall(r"<figure>.*?</figure>", text, re.DOTALL)
    assert len(figures) >= 4
    for figure in figures:
        assert figure.count("<svg") == 2  # Wide and narrow.
        assert "<text" in figure
        assert figure.count("<details>") == figure.count("<table>") == 1
        # One drawing serves light and dark: its colours are variables of the style sheet.
        assert "var(--" in figure
        assert not re.search(r'(fill|stroke)="#\w+"', figure)
    assert QA in figures[0]
    dark = text.partition("@media (prefers-color-scheme: dark)")[2].partition("* {")[0]
    for variable in {*re.findall(r"var\((--series-\d)\)", text)}:
        assert f"{variable}:" in dark
    # What a run is, its fingerprint and all.
    for title in (
        *("Scores", "What happened to the questions", "Findings", "Retrieval"),
        "Where the gold occurs",
        *("Time, tokens and cost", "Errors", "Questions", "Settings and versions"),
    ):
        assert f">{title}</h2>" in text
    assert "TimeoutError" in text
    assert "1111111111111111" in text
    # The headline has its interval.
    assert re.search(r"<dt>Score</dt><dd>47\.6 ±\d+\.\d†<small>", text)


@needs_extra
def test_the_parts_of_a_source_are_a_bar_of_100(text: str) -> None:
    (figure,) = re.findall(r"<figure>\n<figcaption>Of 100 questions.*?</figure>", text, re.DOTALL)
    rows = re.findall(r'<tr><th scope="row">(.*?)</tr>', figure, re.DOTALL)
    assert len(rows) == 2
    for row in rows:
        numbers = [*map(int, re.findall(r'<td class="number">(\d+)</td>', row))]
        assert sum(numbers) == 100
        # Of 21 questions one failed, seven were not hit, and every second is right.
        for number in numbers:
            assert number < 10 or f">{number}</text>" in figure


@needs_extra
def test_several_runs_open_with_one_table_and_one_forest_plot_and_pairs_are_behind_a_menu(
    tmp_path: Path,
) -> None:
    second = plain(tmp_path / "b", [False] * 20, agent="second")
    runs = [second, plain(tmp_path / "a", agent="first")]
    two = comparison_page(runs)
    # The best run is A, in whatever order the runs are named.
    assert "A beats B by 47.6 points" in two
    assert "10/0/11" in two  # Won, lost, tied.
    assert ">only A right, or better</option>" in two
    assert '<select id="pair">' not in two
    three = comparison_page([*runs, plain(tmp_path / "c", [True] * 20, agent="third")])
    main = three.partition("<main>")[2]
    rows = re.findall(r'<tr><th scope="row">(.*?)</th><td class="number">(.*?)</td>', main)[:3]
    assert [name for name, _ in rows] == ["A: third", "B: first", "C: second"]
    assert [score.partition(" ")[0] for _, score in rows] == ["95.2", "47.6", "0.0"]
    assert main.index("third is best") < main.index("<table>") < main.index("<figure>")
    assert main.count("<figure>") == 1
    options = re.findall(r'<option value="(.-.)">(.*?)</option>', main)
    assert dict(options) == {
        "A-B": "A: third and B: first",
        "A-C": "A: third and C: second",
        "B-C": "B: first and C: second",
    }
    assert main.count("data-pair=") == 3


def test_runs_that_cannot_be_compared_are_refused(tmp_path: Path) -> None:
    pytest.importorskip("altair", reason="the extra `page` is not installed")
    a, b = plain(tmp_path / "a"), written(tmp_path / "b", [sample(0)])
    with pytest.raises(UsageError, match="different questions"):
        comparison_page([a, b])


@needs_extra
def test_the_command_writes_one_file(tmp_path: Path) -> None:
    plain(tmp_path / "run")
    done = mabench("page", "run", "--out", "new/page.html", cwd=tmp_path)
    assert (done.returncode, "page.html" in done.stderr) == (0, True)
    assert (tmp_path / "new/page.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    done = mabench("page", "run", "--out", ".", cwd=tmp_path)
    assert (done.returncode, "name a file that ends in .html" in done.stderr) == (2, True)


@needs_extra
def test_a_page_says_what_it_cannot_tell_and_a_run_without_answers_has_none(tmp_path: Path) -> None:
    run = written(tmp_path / "run", [sample(0), failed(1)])
    assert "No gold of this run can be located in its histories." in run_page(run)
    (run.folder / "samples.jsonl").write_text("")
    with pytest.raises(UsageError, match="no question has been asked yet"):
        run_page(Run(run.folder))


@needs_extra
def test_a_sweep_writes_its_curves(tmp_path: Path) -> None:
    words = "sweep bm25 --source factconsolidation_sh --knob tokens=1k,2k --knob questions=5"
    succeed(*words.split(), "--page", "page.html", cwd=tmp_path)
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "Scores by tokens" in text
    assert "Questions with a hit, by tokens" in text
    assert "95 % interval, official" in text
    assert "<script" not in text
    assert "script-src &#39;none&#39;" in text
