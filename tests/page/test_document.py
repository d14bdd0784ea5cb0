"""Pages and figures without a browser: what their text says. They take the extra `page`."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import sys
from dataclasses import replace
from html import unescape
from html.parser import HTMLParser
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from mabench.errors import MissingPackageError, UsageError
from mabench.page.pages import comparison_page, stress_page
from mabench.page.run_pages import run_page
from mabench.results import Run, RunFolder
from mabench.stressing import StressFinding, StressReport
from mabench.stressing.report import Kind, Latency
from tests.command_line import mabench, succeed
from tests.comparison.made import QA, called, parted_run
from tests.page.made import failed, hostile, plain, sample, unpacked, written

needs_extra = pytest.mark.skipif(
    not all(map(find_spec, ("vl_convert", "jinja2"))),
    reason="the extra `page` is not installed: pip install -e '.[page]'",
)


@pytest.mark.parametrize("module", ["vl_convert", "jinja2"])
def test_a_missing_package_is_named_before_anything_is_done(
    module: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("vl_convert", "jinja2"):
        monkeypatch.setitem(sys.modules, name, None if name == module else sys)
    with pytest.raises(MissingPackageError, match=rf"{module} is not .*\[page\]"):
        run_page(plain(tmp_path / "one"))
    for words in (
        "sweep bm25 --source factconsolidation_sh --knob tokens=1k,2k --page page.html",
        "compare one one --plot f.svg",
    ):
        done = mabench(*words.split(), cwd=tmp_path)
        assert (done.returncode, done.stdout) == (1, "")
        assert "[page]'" in done.stderr
    assert not (tmp_path / "runs").exists()


@needs_extra
@pytest.mark.parametrize(
    ("hit_by", "meaning"),
    [("evidence", "its support was not retrieved"), ("mention", "no passage mentions the gold")],
)
def test_the_meaning_of_a_part_follows_what_a_hit_is(
    tmp_path: Path, hit_by: str, meaning: str
) -> None:
    store = RunFolder(parted_run(tmp_path / "run", QA, ["rmx" * 9]))
    store.replace_samples([replace(each, hit_by=hit_by) for each in store.samples()])
    assert f"Missed: wrong, {meaning}." in run_page(Run(tmp_path / "run"))


@needs_extra
def test_one_script_runs_and_nothing_is_fetched(tmp_path: Path) -> None:
    text = run_page(hostile(tmp_path / "run"))
    tags: list[tuple[str, dict[str, str | None]]] = []
    parser = HTMLParser()
    parser.handle_starttag = lambda tag, attrs: tags.append((tag, dict(attrs)))  # type: ignore[method-assign]
    parser.feed(text)
    assert [tag for tag, _ in tags].count("script") == 1
    script = re.search(r"<script>(.*?)</script>", text, re.DOTALL)
    assert script is not None
    digest = base64.b64encode(hashlib.sha256(script[1].encode()).digest()).decode()
    (policy,) = (
        of["content"] for _, of in tags if of.get("http-equiv") == "Content-Security-Policy"
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
    for tag, attributes in tags:
        assert tag not in {"iframe", "img", "object", "embed", "base"}
        for name, value in attributes.items():
            assert not name.startswith("on")
            if name in {"src", "href", "xlink:href", "action"}:
                assert (value or "").startswith(("#", "data:,"))
    assert "url(" not in text.replace("url(#", "")
    assert "innerHTML" not in text
    assert len(script[1].splitlines()) < 560


@needs_extra
def test_a_page_tells_what_a_run_is_and_has_its_figures_beside_its_charts(tmp_path: Path) -> None:
    plain(tmp_path / "run")
    (tmp_path / "new").mkdir()
    done = mabench("page", "run", "--out", "new/page.html", cwd=tmp_path)
    assert (done.returncode, "page.html" in done.stderr) == (0, True)
    text = (tmp_path / "new/page.html").read_text(encoding="utf-8")
    assert text.startswith("<!DOCTYPE html>")
    figures = re.findall(r"<figure>.*?</figure>", text, re.DOTALL)
    assert len(figures) >= 4
    for figure in figures:
        assert figure.count("<svg") == 1
        assert "<text" in figure
        assert figure.count("<details>") == figure.count("<table>") == 1
        # One drawing serves light and dark: its colours are variables of the style sheet.
        assert "var(--" in figure
        assert not re.search(r'(fill|stroke)="#\w+"', figure)
    assert QA in figures[0]
    dark = text.partition("(prefers-color-scheme: dark)")[2].partition("* {")[0]
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
    # The parts of a source are a bar of 100.
    (figure,) = (one for one in figures if "<figcaption>Of 100 questions" in one)
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
    assert "<title>first \N{MULTIPLICATION SIGN} second \N{MIDDLE DOT} made-up" in two
    assert "10/0/11" in two  # Won, lost, tied.
    assert ">only A right, or better</option>" in two
    assert '<select id="pair">' not in two
    three = comparison_page([*runs, plain(tmp_path / "c", [True] * 20, agent="third")])
    main = three.partition("<main>")[2]
    rows = re.findall(r'<tr><th scope="row">(.*?)</th><td class="number">(.*?)</td>', main)[:3]
    assert [name for name, _ in rows] == ["A: third", "B: first", "C: second"]
    assert [score.partition(" ")[0] for _, score in rows] == ["95.2", "47.6", "0.0"]
    assert main.index("third is best") < main.index("<table>") < main.index("<figure>")
    assert main.count("<figure>") == 2  # Scores, and scores by what they took.
    options = re.findall(r'<option value="(.-.)">(.*?)</option>', main)
    assert dict(options) == {
        "A-B": "A: third and B: first",
        "A-C": "A: third and C: second",
        "B-C": "B: first and C: second",
    }
    assert main.count("data-pair=") == 3
    with pytest.raises(UsageError, match="different questions"):
        comparison_page([second, written(tmp_path / "d", [sample(0)])])


@needs_extra
def test_a_page_says_what_it_cannot_tell_and_a_run_without_answers_has_none(tmp_path: Path) -> None:
    run = written(tmp_path / "run", [sample(0), failed(1)])
    text = run_page(run)
    assert "No gold of this run can be located in its histories." in text
    assert "<small>of 1 source</small>" in text
    (run.folder / "samples.jsonl").write_text("")
    with pytest.raises(UsageError, match="no question has been asked yet"):
        run_page(Run(run.folder))
    report = StressReport(memory="m", seed=0, takes={}, not_tried=["files"])
    nothing = stress_page([report])  # It says what came out, and no more.
    assert '<a class="skip" href="#result">' in nothing
    assert nothing.index("m: no fault was seen again") < nothing.index("Not tested: files.")


@needs_extra
def test_a_sweep_writes_its_curves_on_a_page_and_as_figures(tmp_path: Path) -> None:
    words = "sweep bm25 --source factconsolidation_sh --knob tokens=4k,8k --knob questions=4"
    succeed(*words.split(), "--page", "page.html", "--plot", "s.svg", cwd=tmp_path)
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "Scores by tokens" in text
    assert "Questions with a hit, by tokens" in text
    assert "95 % interval, official" in text
    assert "<script" not in text
    assert "script-src &#39;none&#39;" in text
    assert ">8,000</text>" in (tmp_path / "s.svg").read_text()
    assert "percent of questions" in (tmp_path / "s-hits.svg").read_text()


@needs_extra
def test_a_figure_of_runs_stands_alone_and_costs_beside_it(tmp_path: Path) -> None:
    for name in ("one", "two"):
        called(tmp_path / name, cost=0.01, agent=name)
    (tmp_path / "new").mkdir()
    done = succeed("compare", "one", "two", "--plot", "new/f.svg", cwd=tmp_path)
    svg = (tmp_path / "new" / "f.svg").read_text()
    texts = re.findall(r">([^<>]+)</text>", svg)
    assert {"one", "two", QA} <= {*texts}
    assert any(text.startswith("75.0 ") for text in texts)
    assert "var(" not in svg, "the colours of a page are those of its style sheet"
    assert "US dollars" in (tmp_path / "new" / "f-cost.svg").read_text()
    assert done.stderr.count("written: new/") == 2
    for name in ("f.pdf", "f.png"):
        failed = mabench("compare", "one", "two", "--plot", name, cwd=tmp_path)
        assert failed.returncode == 2
        assert f"{name}: plots are written as SVG only" in failed.stderr


@needs_extra
def test_a_title_of_ones_own_leads_and_is_escaped(tmp_path: Path) -> None:
    text = run_page(plain(tmp_path / "one"), "Support <b>chats</b>")
    assert "<title>Support &lt;b&gt;chats&lt;/b&gt;" in text
    assert "<b>chats" not in text
    assert "protocol structured" in text, "what it shows follows"


@needs_extra
def test_a_question_opens_with_what_it_rests_on_and_leads_to_the_page_of_its_data(
    tmp_path: Path,
) -> None:
    source = ("--data", "synthetic:small", "--source", "ruler_qa1_197K", "--row", "0")
    succeed("run", "bm25", *source, "--out", "run", cwd=tmp_path)

    def read_page() -> tuple[dict[str, Any], Any]:
        succeed("page", "run", cwd=tmp_path)
        text = (tmp_path / "run.html").read_text(encoding="utf-8")
        found = re.search(r'<template id="data" data-about="(.*?)">(.*?)</template>', text, re.S)
        assert found is not None
        return json.loads(unescape(found[1])), unpacked(found[2])

    about, questions = read_page()
    assert about["data"] is None
    for question in questions:
        [[chunk, depth, [text]]] = question["support"]
        assert question["answers"][0].lower() in text.lower()
        assert question["mention"] is None
        assert chunk < question["chunks"]
        assert 0 <= depth <= 100
        [result] = question["results"]
        assert len(result["ranks"]) == 1
        assert 0 <= result["search"] <= result["seconds"]
    (tmp_path / "synthetic-small.html").write_text("the page of the data")
    assert read_page()[0]["data"] == "synthetic-small.html"


@needs_extra
def test_scores_that_are_equal_are_drawn_once(tmp_path: Path) -> None:
    once = "Where both scores are equal, they are drawn once."
    assert once in run_page(plain(tmp_path / "equal"))
    apart = [replace(sample(n), corrected={"f1": 0.0}) for n in range(4)]
    assert once not in run_page(written(tmp_path / "apart", apart))


@needs_extra
def test_settings_that_all_runs_share_are_folded(tmp_path: Path) -> None:
    runs = [plain(tmp_path / name, agent=name) for name in ("one", "two")]
    _, _, settings = comparison_page(runs).partition('<section id="settings"')
    differing, _, shared = settings.partition("<summary>Settings and versions that all share")
    assert ">agent</th>" in differing
    assert ">agent</th>" not in shared
    assert ">fingerprint</th>" in shared
    assert ">fingerprint</th>" not in differing


@needs_extra
def test_stress_reports_are_told_by_memory_with_a_chart_of_times_and_no_backticks() -> None:
    times: dict[str, Any] = {
        "calls": 200,
        "p50": 2.0,
        "p95": 3.0,
        "p99": 4.0,
        "max": 9.0,
        "per_second": 400.0,
    }
    found = StressFinding("lost-write", "fault", "`search` does not find it", ())
    reports = [
        StressReport(
            memory=name,
            seed=0,
            takes={},
            findings=[found],
            kinds=[Kind(name="updates", verdict="held")],
            latency=[Latency(operation="add", clients=1, **times)],
            harness=[Latency(operation="add", clients=1, **times)],
        )
        for name in ("first", "second")
    ]
    main = stress_page(reports).partition("<main>")[2]
    assert "`" not in main
    assert "search does not find it" in main
    for section in ("findings", "load"):
        part = main.partition(f'<section id="{section}"')[2].partition("</section>")[0]
        assert re.findall(r"<h3 [^>]*>(.*?)</h3>", part) == ["first", "second"]
    matrix = main.partition('<section id="matrix"')[2].partition("</section>")[0]
    heads = re.findall(r"<th scope=\"col\"[^>]*>(.*?)</th>", matrix)
    assert heads == ["Behaviour", "first", "second"]  # Side by side.
    assert "Time of a call: the median, with a line to the longest" in main
