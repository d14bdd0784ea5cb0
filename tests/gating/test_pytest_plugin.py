"""The plugin in a pytest of its own, as a user's repository has it."""

from pathlib import Path

import pytest

pytest_plugins = ("pytester",)
_TEST = """
import pytest

SOURCE = "factconsolidation_sh_6k"

class Says:
    def __init__(self, words="nothing"):
        self.words = words
    def memorize(self, chunk):
        pass
    def answer(self, query):
        return self.words

def test_as_good(mabench):
    result = mabench.gate("bm25", baseline="bm25", source=SOURCE)
    assert result.passed, result

@pytest.mark.mabench(margin=1)
def test_worse(mabench):
    result = mabench.gate(Says, baseline="bm25", source=SOURCE)
    assert result.passed, result

def test_another():
    pass
"""
_FAULTY = """
class Loses:
    def __init__(self):
        self.texts = []
    def add(self, text):
        if len(self.texts) < 2:
            self.texts.append(text)
    def search(self, query, k):
        return self.texts[:k]

def test_stress(mabench):
    result = mabench.stress(Loses, seconds=1)
    assert result.passed, result

class Raises(Loses):
    def search(self, query, k):
        raise ValueError("lost")

def test_check(mabench):
    result = mabench.check(Raises)
    assert result.passed, result
"""


@pytest.fixture
def place(pytester: pytest.Pytester) -> Path:
    pytester.makepyfile(test_memory=_TEST)
    return pytester.path


def test_a_gate_is_a_test(pytester: pytest.Pytester, place: Path) -> None:
    words = ("--mabench-data", "synthetic:small", "--mabench-page", "page.html")
    done = pytester.runpytest_subprocess(*words)
    done.assert_outcomes(passed=2, failed=1)
    said = done.stdout.str()
    done.stdout.fnmatch_lines(["*= mabench =*", "*test_as_good: PASSED: bm25*"])
    done.stdout.fnmatch_lines(["*test_worse: FAILED: *Says is worse than bm25 by more than 1*"])
    done.stdout.fnmatch_lines(["    *questions lost, 0 gained*", "    It took * s; cost unknown."])
    assert "mabench: test_worse: " in said, "progress"
    assert (place / "page.html").is_file()
    again = pytester.runpytest_subprocess(*words[:2], "-m", "mabench")
    again.assert_outcomes(passed=1, failed=1, deselected=1)
    assert "Baseline: kept in" in again.stdout.str()


@pytest.mark.slow
@pytest.mark.usefixtures("place")
def test_processes_share_a_baseline(pytester: pytest.Pytester) -> None:
    words = ("-n", "2", "--mabench-data", "synthetic:small", "--mabench-baselines", "kept")
    done = pytester.runpytest_subprocess(*words)
    done.assert_outcomes(passed=2, failed=1)
    done.stdout.fnmatch_lines(["*= mabench =*"])
    assert done.stdout.str().count("py::test_worse: FAILED: ") == 1
    assert len(list((pytester.path / "kept").glob("*/run.json"))) == 1


@pytest.mark.usefixtures("place")
def test_a_budget_that_is_used_up_judges_nothing(pytester: pytest.Pytester) -> None:
    words = ("--mabench-data", "synthetic:small", "--mabench-minutes", "0.00001")
    done = pytester.runpytest_subprocess(*words)
    done.assert_outcomes(passed=1, failed=2)
    done.stdout.fnmatch_lines(["*not judged: *"])


@pytest.mark.slow
def test_a_fault_comes_with_its_shortest_history(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(_FAULTY)
    done = pytester.runpytest_subprocess()
    done.assert_outcomes(failed=2)
    done.stdout.fnmatch_lines(["*FAILED: stress of *Loses*", "*lost-write: *", "*1. add*"])
    done.stdout.fnmatch_lines(["*FAILED: check of *Raises*"])


def test_nothing_is_loaded_where_it_is_not_used(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        import sys
        def test_of_something_else():
            large = {"numpy", "pydantic", "scipy", "pyarrow", "rich", "mabench.runs"}
            assert "mabench.pytest_plugin" in sys.modules
            assert not large & {*sys.modules}
        """
    )
    done = pytester.runpytest_subprocess()
    done.assert_outcomes(passed=1)
    assert "mabench" not in done.stdout.str().replace("plugins: ", "").split("collected")[1]
