"""What a program prints must not depend on the order of sets, which the hash seed decides."""

import contextlib
import io
import os
import runpy
import subprocess
import sys
from pathlib import Path


def outputs(program: str, folder: Path) -> set[str]:
    """Return what a program prints in this process and in one with another hash seed."""
    file = folder / "program.py"
    file.write_text(program, encoding="utf-8")
    with contextlib.redirect_stdout(io.StringIO()) as here:
        runpy.run_path(str(file))
    # One of these is not the seed of this process.
    seed = "2" if os.environ.get("PYTHONHASHSEED") == "1" else "1"
    there = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONHASHSEED": seed},
        capture_output=True,
        text=True,
        check=True,
    )
    return {here.getvalue(), there.stdout}
