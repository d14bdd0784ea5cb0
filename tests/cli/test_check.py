import json
from pathlib import Path

import pytest

from tests.command_line import mabench, succeed
from tests.models.server import serving

MEMORIES = """
class Bomb:
    def add(self, text): print("[bold]stored[/bold]")
    def search(self, query, k): __import__("time").sleep(60)


class Notes:
    def __init__(self, best=3): self.texts, self.best = [], best
    def memorize(self, chunk): print("stored"); self.texts.append(chunk)
    def answer(self, query):
        words = set(query.search_query.split())
        alike = sorted(self.texts, key=lambda text: -len(words & set(text.split())))
        return " ".join(alike[:self.best])
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "mine.py").write_text(MEMORIES)
    return tmp_path


@pytest.mark.usefixtures("short_texts")
def test_a_sound_agent_exits_with_0(folder: Path) -> None:
    done = succeed("check", "mine:Notes", "--set", "best=2", cwd=folder)
    assert "mine:Notes[best=2]: nothing was found that would invalidate its scores." in done.stdout
    assert "three processes know only their own facts" in done.stdout
    assert [line for line in done.stderr.splitlines() if " of 17: " in line][::16] == [
        "1 of 17: fresh instance",
        "17 of 17: growth",
    ]
    assert "stored" not in done.stdout


def test_a_broken_memory_exits_with_1_a_finding_names_an_option_and_its_name_is_no_picture(
    folder: Path,
) -> None:
    words = ("check", "mine:Bomb", "--timeout", "0.5")
    done = mabench(*words, "--format", "json", cwd=folder)
    assert done.returncode == 1, done.stderr
    report = json.loads(done.stdout)
    assert (report["schema"], report["agent"], report["valid"]) == (1, "mine:Bomb", False)
    (failed,) = (one for one in report["findings"] if one["invalidates"])
    assert set(failed) == {"check", "status", "message", "invalidates", "seconds"}
    assert (failed["check"], failed["status"]) == ("fresh instance", "failed")
    said = "answer hangs: no result within 0.5 s; if it is only slow, allow more with --timeout"
    assert said in failed["message"]
    done = mabench(*words, cwd=folder)
    assert (done.returncode, "FAILED" in done.stdout) == (1, True), done.stderr
    assert "mine:Bomb: its scores would mean nothing; failed: fresh instance." in done.stdout
    assert said in " ".join(done.stdout.split())


@pytest.mark.slow  # Processes of its own.
@pytest.mark.usefixtures("key_and_cache")
def test_a_check_stops_at_its_limit_of_cost(folder: Path) -> None:
    with serving(lambda prompt: "no idea") as served:
        words = ("check", "bm25", "--model", "gpt-4o", "--base-url", served.url)
        stopped = mabench(*words, "--max-cost", "0.001", cwd=folder)
        asked = served.asked.total()
        unknown = mabench(*words[:3], "x", *words[4:], "--max-cost", "1", cwd=folder)
    assert (stopped.returncode, stopped.stdout) == (1, ""), stopped.stderr
    assert "the check stopped: $0.00" in stopped.stderr
    assert "To check with a higher limit: mabench check bm25" in stopped.stderr
    assert "--max-cost 0.00" in stopped.stderr.split("higher limit")[1]
    assert 0 < asked < 40
    assert (unknown.returncode, served.asked.total()) == (2, asked)
    assert "the price of x is unknown" in unknown.stderr
    assert "--prices" in unknown.stderr
