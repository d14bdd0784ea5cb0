from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.command_line import mabench
from tests.models.server import serving

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
        long = mabench(
            "run", "long-context", *SMALL, "--model", "openai/gpt-4o-mini", "--base-url",
            served.url, "--estimate", cwd=tmp_path,
        )  # fmt: skip
        short = mabench(
            "run", "bm25", *SMALL, "--model", "nobody/knows", "--base-url", served.url,
            "--estimate", cwd=tmp_path,
        )  # fmt: skip
        assert not served.asked
    assert long.returncode == 0, long.stderr
    assert "All" in long.stdout
    assert "25" in long.stdout
    assert "unknown" in short.stdout
    for assumed in (
        "gpt-4o-mini costs $0.15 for a million tokens of input and $0.6 of output",
        "Each question is one request",
        "the model's window of 128,000 tokens",
        "Every reply takes all it may: 50 tokens",
        "A reply takes 2 seconds, and 16 are awaited at any time.",
        "--questions-in-parallel",
    ):
        assert assumed in long.stdout
    assert "The price of nobody/knows is unknown: give a file with it as --prices" in short.stdout
    assert "Each request shows 10 chunks of 512 tokens" in short.stdout
    assert re.search(r"Not in it: .* about \d+ chunks, .* models by itself", short.stdout)
    assert not (tmp_path / "runs").exists()
