from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

import pytest

from mabench.data import export_hub_layout
from tests.command_line import mabench
from tests.metering.upstream import serving
from tests.rows import dataset, row

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
SAID = "No model call of the memory was seen: it calls none, or not at the address"


@pytest.mark.usefixtures("key_and_cache")
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
        done = mabench(*words, *out, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
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
