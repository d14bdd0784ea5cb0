"""Input that a server had kept is priced apart, for the calls of memories and of the reader."""

from __future__ import annotations

from pathlib import Path

import pytest

import mabench
from mabench.models import ModelSpec
from mabench.results import Run
from mabench.results.records.store import RunFolder
from tests.metering.memories import Calling
from tests.metering.upstream import KEY, serving
from tests.rows import dataset, row

# The server of the tests says that 4 of 11 tokens of a chat were kept, and that 3 came back.
WITHOUT, WITH = (11 + 30) / 1e6, (7 + 4 * 0.1 + 30) / 1e6


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("MABENCH_CACHE", str(tmp_path / "cache"))


def run(url: str, folder: Path, cached_price: str, cache: bool = False) -> Run:
    prices = folder.with_suffix(".toml")
    prices.write_text(f"[m]\ninput = 1\noutput = 10\n{cached_price}\n[e]\ninput = 0\noutput = 0\n")
    model = ModelSpec("openai/m", base_url=url, prices=prices, cache=cache)
    rows = dataset([row("ruler_qa1_197K", "Document 1:\nA box.", [("Which?", ["a"])])])
    return mabench.run(Calling, rows, model=model, out=folder)


@pytest.mark.parametrize(("line", "each"), [("", WITHOUT), ("cached_input = 0.1\n", WITH)])
def test_cached_tokens_have_their_own_price(tmp_path: Path, line: str, each: float) -> None:
    with serving() as served:
        made = run(served.url, tmp_path / "run", line)
    for call in RunFolder(made.folder).calls():
        if call.model == "m":
            assert call.cached_tokens == 4
            assert call.cost == pytest.approx(each)
    (sample,) = made.samples()
    assert sample.cost == pytest.approx(each)
    summary = made.summary.calls
    assert summary
    assert summary.by_memory.cached_tokens == 4
    assert summary.by_reader.cached_tokens == 4 + 4, "with the preflight"


def test_a_kept_reply_costs_what_it_did(tmp_path: Path) -> None:
    line = "cached_input = 0.1\n"
    with serving() as served:
        first = run(served.url, tmp_path / "a", line, cache=True)
        again = run(served.url, tmp_path / "b", line, cache=True)
    assert [one.cost for one in again.samples()] == [one.cost for one in first.samples()]
