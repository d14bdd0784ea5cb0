"""The shell steps of the action, in a bare folder; no forge has run it yet."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

_ACTION = yaml.safe_load((Path(__file__).parents[2] / "action.yml").read_text("utf-8"))
_STEPS = {step.get("name"): step for step in _ACTION["runs"]["steps"]}


def _run(name: str, place: Path, **env: str) -> tuple[int, str]:
    """Run a step as a forge does, and return its exit code with what it printed."""
    variables = {
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "HOME": str(place),
        "XDG_CACHE_HOME": os.environ.get("XDG_CACHE_HOME", str(Path.home() / ".cache")),
        "GITHUB_STEP_SUMMARY": str(place / "summary"),
        "GITHUB_OUTPUT": str(place / "output"),
        **env,
    }
    words = ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", _STEPS[name]["run"]]
    done = subprocess.run(
        words, cwd=place, env=variables, capture_output=True, text=True, check=False
    )
    return done.returncode, done.stdout + done.stderr


def test_every_input_that_a_step_takes_is_declared() -> None:
    for step in _ACTION["runs"]["steps"]:
        for value in step.get("env", {}).values():
            if "inputs." in value:
                assert value.split("inputs.")[1].split(" ")[0] in _ACTION["inputs"]
        assert "${{" not in step.get("run", ""), "an input would be run as a part of the script"


@pytest.mark.slow
def test_the_baseline_of_main_is_held_against_a_change(tmp_path: Path) -> None:
    rows = {"DATA": "synthetic:small", "SOURCE": "factconsolidation_sh_6k", "MARGIN": "1"}
    env = {"AGENT": "bm25", "BASELINE": "bm25", "STRICT": "false", **rows}
    code, printed = _run("Gate", tmp_path, **env)
    assert code == 0, printed
    assert "passed=true" in (tmp_path / "output").read_text("utf-8")
    assert _run("Make this run the baseline", tmp_path)[0] == 0
    (tmp_path / "mabench-now").rename(tmp_path / "before")
    code, printed = _run("Gate", tmp_path, **{**env, "AGENT": "no-memory"})
    assert code == 0, "a later step fails, once the page is uploaded"
    assert printed.startswith("FAILED: no-memory is worse than bm25 by more than 1 point")
    output = (tmp_path / "output").read_text("utf-8").splitlines()
    assert output[-3:] == ["comment=mabench.md", "passed=false", "code=1"]
    assert "**FAILED: no-memory is worse" in (tmp_path / "summary").read_text("utf-8")
    assert (tmp_path / "mabench.html").is_file()
    assert _run("Fail if it is worse", tmp_path, CODE="1")[0] == 1
