"""What is fitted: ``make fit`` finds it again."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tools.fit import lengths, reader

_ROOT = Path(__file__).parents[2]


@pytest.mark.slow
@pytest.mark.parametrize("seed", ["0", "1"])
@pytest.mark.parametrize(
    ("program", "file"), [("reader", reader.WEIGHTS), ("lengths", lengths.FILE)]
)
def test_fitted_numbers_are_what_the_program_writes(
    tmp_path: Path, program: str, file: Path, seed: str
) -> None:
    again = tmp_path / file.name
    command = [sys.executable, "-m", f"tools.fit.{program}", str(again)]
    environment = os.environ | {"PYTHONHASHSEED": seed, "OMP_NUM_THREADS": "1"}
    subprocess.run(command, check=True, cwd=_ROOT, env=environment)
    assert again.read_bytes() == file.read_bytes()
