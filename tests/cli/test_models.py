import json
import re
import shutil
import sys
from pathlib import Path

import pytest

from mabench.data import export_hub_layout
from tests.command_line import mabench, succeed
from tests.models.server import serving
from tests.rows import dataset, row

pytestmark = pytest.mark.usefixtures("key_and_cache")
SMALL = ("--data", "synthetic:small", "--source", "ruler_qa1_197K")


def test_a_run_with_a_model_and_its_cache(tmp_path: Path) -> None:
    with serving(lambda _: "no idea") as served:
        arguments = (
            "run", "bm25", *SMALL, "--model", "openai/gpt-4o-mini", "--base-url", served.url,
            "--limit-questions", "3", "--questions-in-parallel", "3", "--out", "out",
        )  # fmt: skip
        done = mabench(*arguments, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    shown = mabench("cache", "show", cwd=tmp_path).stdout
    assert ": 3 replies" in shown
    assert "3 replies forgotten" in mabench("cache", "clear", cwd=tmp_path).stdout
    assert ": 0 replies" in mabench("cache", "show", cwd=tmp_path).stdout


def test_an_estimate_asks_nothing(tmp_path: Path) -> None:
    with serving(lambda _: "no idea") as served:
        words = (*SMALL, "--base-url", served.url, "--estimate", "--model")
        long = mabench("run", "long-context", *words, "openai/gpt-4o-mini", cwd=tmp_path)
        short = mabench("run", "bm25", *words, "nobody/knows", cwd=tmp_path)
        assert not served.asked
    assert long.returncode == 0, long.stderr
    assert "All" in long.stdout
    assert "25" in long.stdout
    assert "unknown" in short.stdout
    for assumed in (
        "gpt-4o-mini costs $0.15 per million input tokens and $0.6 of output",
        "Each question is one request",
        "the model's window of 128,000 tokens",
        "Every reply is assumed to use its limit: 50 tokens",
        "A reply takes 2 seconds, and 16 are awaited at any time.",
        "--questions-in-parallel",
    ):
        assert assumed in long.stdout
    assert (
        "The price of nobody/knows is unknown: give a file with its price as --prices"
        in short.stdout
    )
    assert "Each request shows 10 chunks of 512 tokens" in short.stdout
    assert re.search(r"Not included: .* about \d+ chunks, .* own model calls", short.stdout)
    assert not (tmp_path / "runs").exists()


MEMORY = """
import os, urllib.request

class Elsewhere:
    def __init__(self, model=None):
        self.url = os.environ["ELSEWHERE"]
        self.texts = []

    def add(self, text):
        urllib.request.urlopen(self.url + "/models").read()
        self.texts.append(text)

    def search(self, query, k):
        return self.texts[:k]
"""
SAID = "No model calls of the memory were metered: it makes none, or it does not use the address"


@pytest.mark.parametrize("where", ["here", "python"])
def test_calls_that_pass_by_the_meter_are_warned_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    (tmp_path / "unseen.py").write_text(MEMORY)
    one = row("ruler_qa1_197K", "Document 1:\nA box is red.", [("Which?", ["red"])])
    export_hub_layout(dataset([one]), tmp_path / "rows")
    with serving() as served, serving() as other:
        monkeypatch.setenv("ELSEWHERE", other.url)
        agent = ["unseen:Elsewhere"]
        if where == "python":
            agent = ["unseen.py:Elsewhere", "--python", sys.executable, "--env", "ELSEWHERE"]
        words = ["run", *agent, "--data", "rows", "--model", "openai/m", "--no-cache"]
        out = ["--base-url", served.url, "--out", "out"]
        done = succeed(*words, *out, cwd=tmp_path)
        assert other.calls == 1
    assert SAID in done.stdout.replace("\n", " ")
    assert SAID in mabench("report", "out", cwd=tmp_path).stdout.replace("\n", " ")
    shutil.copytree(tmp_path / "out", tmp_path / "copy")
    both = mabench("compare", "out", "copy", "--format", "markdown", cwd=tmp_path).stdout
    assert both.count(SAID) == 2
    calls = json.loads((tmp_path / "out" / "summary.json").read_text("utf-8"))["calls"]
    assert calls["metered"]
    assert calls["by_memory"]["calls"] == 0
    assert calls["by_reader"]["calls"] == 1 + 1, "with the preflight"
