"""An environment that has nothing but what a test puts there."""

import subprocess
import venv
from collections.abc import Mapping
from pathlib import Path


def make_interpreter(folder: Path, modules: Mapping[str, str]) -> Path:
    """Make an environment with these modules, by file name, and return its interpreter."""
    venv.create(folder, with_pip=False, symlinks=True)
    python = folder / "bin" / "python"
    purelib = "import sysconfig; print(sysconfig.get_path('purelib'))"
    done = subprocess.run([python, "-c", purelib], capture_output=True, text=True, check=True)
    for name, content in modules.items():
        (Path(done.stdout.strip()) / name).write_text(content, "utf-8")
    return python
