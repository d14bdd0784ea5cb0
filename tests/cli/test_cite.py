"""What to cite: entries of mabench and the benchmark, and of a run its methods."""

import re
from pathlib import Path

from tests.command_line import mabench, succeed
from tests.rows import two_rows, write_rows

_ENTRY = re.compile(r"^@(\w+)\{([\w-]+),\n(.*?)^\}", re.DOTALL | re.MULTILINE)


def _keys(text: str) -> list[str]:
    return [key for _, key, _ in _ENTRY.findall(text)]


def test_without_a_run_the_tool_and_the_benchmark_are_cited(tmp_path: Path) -> None:
    said = succeed("cite", cwd=tmp_path).stdout
    assert _keys(said) == ["mabench", "memoryagentbench"]
    # Braces are balanced, as BibTeX needs them.
    assert said.count("{") == said.count("}")


def test_of_a_run_the_methods_say_what_was_recorded(tmp_path: Path) -> None:
    data = write_rows(tmp_path / "rows.jsonl", two_rows())
    run = ("run", "bm25", "--data", data.name, "--set", "k=3", "--out", "mine")
    succeed(*run, cwd=tmp_path)
    said = succeed("cite", "mine", cwd=tmp_path).stdout
    paragraph = said.splitlines()[0]
    assert "bm25[k=3]" in paragraph
    assert "under the protocol" in paragraph
    assert re.search(r"For a question, k = [123](\.\d+)? passages were retrieved", paragraph)
    assert "no language model as a reader; the answers are its own" in paragraph
    assert "No answers were judged by a language model." in paragraph
    assert _keys(said) == ["mabench", "memoryagentbench", "bm25"]


def test_what_is_no_run_is_refused(tmp_path: Path) -> None:
    done = mabench("cite", "nothing", cwd=tmp_path)
    assert done.returncode == 2
    assert "nothing" in done.stderr
