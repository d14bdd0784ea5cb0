import resource
import subprocess
import sys

import pytest

import mabench
from tests.command_line import run_python


def _seconds(*command: str) -> float:
    """The best of three in seconds of the processor, since the machines are noisy."""
    best = float("inf")
    for _ in range(3):
        before = _used()
        subprocess.run([sys.executable, *command], check=True, capture_output=True)
        best = min(best, _used() - before)
    return best


def _used() -> float:
    """Return the processor time of all child processes so far."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return children.ru_utime + children.ru_stime


def test_import_and_help_are_fast() -> None:
    assert _seconds("-c", "import mabench") - _seconds("-c", "pass") < 0.3
    assert _seconds("-m", "mabench", "--help") < 0.6


def test_import_loads_nothing_heavy_and_sets_up_no_logging() -> None:
    code = (
        "import sys, logging, mabench; "
        "heavy = {'pyarrow', 'numpy', 'rich', 'pydantic', 'bm25s', 'nltk', 'huggingface_hub'}; "
        "sys.exit(bool(heavy & set(sys.modules) or logging.getLogger().handlers))"
    )
    assert run_python(code).returncode == 0


def test_every_public_name_is_there_and_no_other() -> None:
    assert {*mabench.__all__} <= {*dir(mabench)}
    assert None not in [getattr(mabench, name) for name in mabench.__all__]
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        mabench.nothing  # noqa: B018
