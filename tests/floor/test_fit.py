"""What the floor's signs of an answer count for: ``make fit`` finds it again."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tools.fit.reader import WEIGHTS

_ROOT = Path(__file__).parents[2]


@pytest.mark.slow
@pytest.mark.parametrize("seed", ["0", "1"])
def test_the_weights_are_what_the_program_writes(tmp_path: Path, seed: str) -> None:
    again = tmp_path / "weights.json"
    command = [sys.executable, "-m", "tools.fit.reader", str(again)]
    environment = os.environ | {"PYTHONHASHSEED": seed, "OMP_NUM_THREADS": "1"}
    subprocess.run(command, check=True, cwd=_ROOT, env=environment)
    assert again.read_bytes() == WEIGHTS.read_bytes()
