"""`mabench run --estimate-by-row`: a row is run, metered, and the rest is told from it."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest

from mabench.data import export_hub_layout
from mabench.runs.records.store import RunFolder
from tests.command_line import Done, mabench
from tests.metering.upstream import Served
from tests.rows import dataset, row
from tests.run_folders import check_run_folder

NAME = "ruler_qa1_197K"
CALLING = "tests.metering.memories:Calling"

pytestmark = pytest.mark.usefixtures("key_and_cache")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with rows of 80, 20 and 40 boxes, and prices."""
    rows = []
    for index, boxes in enumerate((80, 20, 40)):
        context = "\n\n".join(f"Document {i}:\nBox {i} of {index} is red." for i in range(boxes))
        asked = [(f"Which is box {i} of {index}?", ["red"]) for i in range(2)]
        rows.append(row(NAME, context, asked, index=index))
    export_hub_layout(dataset(rows), tmp_path / "rows")
    (tmp_path / "prices.toml").write_text(
        "[m]\ninput = 1000\noutput = 10000\n\n[e]\ninput = 500\noutput = 0\n"
    )
    return tmp_path


def words(served: Served, agent: str = CALLING, **given: str) -> list[str]:
    options = {"prices": "prices.toml", "base-url": served.url, "model": "openai/m", **given}
    listed = ["run", agent, "--data", "rows", "--chunk-tokens", "60", "--no-cache"]
    return [*listed, *(f"--{name}={value}" for name, value in options.items() if value)]


def by_row(folder: Path, served: Served, *more: str, **given: str) -> Done:
    return mabench(*words(served, **given), "--estimate-by-row", *more, cwd=folder)


def resumed(done: Done, folder: Path) -> Done:
    (command,) = re.findall(r"To run the rest: mabench (.*)", done.stderr)
    assert "--estimate-by-row" not in command
    return mabench(*shlex.split(command), cwd=folder)


def figures(done: Done) -> dict[tuple[str, str], list[float]]:
    """Return the cells of the table of what is left, by its first two columns."""
    lines = done.stdout[done.stdout.index("What is left") :].splitlines()
    cells = [[cell.strip() for cell in line.strip("│┃").split("│")] for line in lines]
    return {
        (one[0], one[1]): [float(cell.replace(",", "") or 0) for cell in one[2:]]
        for one in cells
        if len(one) == 8 and re.match(r"[\d,]+$", one[2])
    }


def test_the_shortest_row_is_run_and_the_rest_is_told_from_it(folder: Path, served: Served) -> None:
    done = by_row(folder, served)
    assert done.returncode == 0, done.stderr
    asked_before = served.calls
    (run,) = (folder / "runs").iterdir()
    assert {sample.row for sample in RunFolder(run).samples()} == {1}
    assert "Measured: row 1 of ruler_qa1_197K" in done.stdout
    told = figures(done)
    assert told["answering", "e"][0] == told["answering", "m"][0] == 4
    assert resumed(done, folder).returncode == 0
    sent = served.calls - asked_before - 1  # A preflight.
    assert [*(folder / "runs").iterdir()] == [run], "the run is the same one"
    check_run_folder(run)
    predicted, calls = told["all that is left", ""], [*RunFolder(run).calls()]
    assert predicted[0] == pytest.approx(sent, rel=0.15)
    after = [call for call in calls if call.row != 1 and call.phase != "preflight"]
    assert len(after) == sent
    assert predicted[4] == pytest.approx(sum(call.cost or 0 for call in after), rel=0.15)
    assert predicted[2] == pytest.approx(sum(call.input_tokens or 0 for call in after), rel=0.15)
    assert len({(call.row, call.phase, call.by, call.call) for call in calls}) == len(calls)
    memorized = (run / "memories.jsonl").read_text("utf-8").splitlines()
    assert sorted(json.loads(line)["row"] for line in memorized) == [0, 1, 2], "none twice"
    whole = told["the whole run", ""][0]
    assert whole == told["so far", ""][0] + predicted[0]


def test_it_says_what_it_takes_for_granted(folder: Path, served: Served) -> None:
    done = by_row(folder, served, "--questions-in-parallel", "2")
    for said in (
        r"2 rows of \d+ to \d+ tokens, [\d,]+ in all, are left",
        "The longest history is 4 times as long",
        "4 questions are left: each is taken to cost",
        r"m costs \$1000 for a million tokens of input and \$10000 of output",
        r"By the clock, 1,000 tokens of history took [\d.]+ s and a question [\d.]+ s: about "
        r"[\d.]+ hours .* 1 rows and 2 questions at a time \(--rows-in-parallel, "
        r"--questions-in-parallel\)",
    ):
        assert re.search(said, done.stdout), said
    assert "unknown" not in done.stdout


@pytest.mark.slow
def test_rows_of_other_processes_tell_it_too(folder: Path, served: Served) -> None:
    done = by_row(folder, served, "--executor", "processes", "--rows-in-parallel", "2")
    assert done.returncode == 0, done.stderr
    assert "Measured: row 1 of ruler_qa1_197K" in done.stdout
    assert figures(done)["answering", "e"][0] == 4


def test_asked_again_it_pays_nothing(folder: Path, served: Served) -> None:
    first = by_row(folder, served)
    calls = served.calls
    again = by_row(folder, served)
    assert again.returncode == 0, again.stderr
    assert served.calls == calls
    assert figures(again) == figures(first)
    assert resumed(again, folder).returncode == 0
    (run,) = (folder / "runs").iterdir()
    done = by_row(folder, served, "--out", str(run))
    assert "nothing is left" in done.stdout


def test_a_row_that_was_run_before_is_measured_in_place_of_the_shortest(
    folder: Path, served: Served
) -> None:
    assert mabench(*words(served), "--row", "2", "--out", "out", cwd=folder).returncode == 0
    calls = served.calls
    done = by_row(folder, served, "--out", "out")
    assert "Measured: row 2 of ruler_qa1_197K" in done.stdout, done.stderr
    assert served.calls == calls
    assert figures(done)["answering", "m"][0] == 4


def test_a_limit_of_cost_bounds_it(folder: Path, served: Served) -> None:
    done = by_row(folder, served, "--max-cost", "0.1", "--out", "out")
    assert done.returncode == 1
    (again,) = re.findall(r"To resume with a higher limit: mabench (.*)", done.stderr)
    assert "--estimate-by-row" in again
    limit = float(shlex.split(again)[shlex.split(again).index("--max-cost") + 1])
    assert limit >= 0.2
    calls = [*RunFolder(folder / "out").calls()]
    assert 0 < sum(call.cost or 0 for call in calls) < 0.1 + 0.041, "with a preflight"
    done = mabench(*shlex.split(again), "--max-cost", "5", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert "so far" in done.stdout


def test_unknown_prices_are_unknown(folder: Path, served: Served) -> None:
    (folder / "prices.toml").write_text("[m]\ninput = 1000\noutput = 10000\n")
    done = by_row(folder, served)
    assert "The price of e is unknown: give a file with it as --prices." in done.stdout
    assert re.search(r"answering +│ e .*unknown", done.stdout)
    assert re.search(r"all that is left .*unknown", done.stdout)


def test_a_memory_that_calls_nothing_is_told_of(folder: Path, served: Served) -> None:
    done = by_row(folder, served, agent="tests.metering.memories:Deaf")
    assert "No model call of the memory was seen" in done.stdout
    assert figures(done)["answering", "m"][0] == 4
    done = by_row(folder, served, agent="bm25")
    assert "The memory cannot be told where to call a model" in done.stdout


@pytest.mark.parametrize(
    ("given", "more", "said"),
    [
        ({"model": "", "base-url": "", "prices": ""}, [], "name the model that reads with --model"),
        ({"agent": "long-context"}, [], "--estimate knows what that takes"),
        ({}, ["--estimate"], "leave out --estimate and --repeat"),
        ({}, ["--repeat", "2"], "leave out --estimate and --repeat"),
    ],
)
def test_what_a_row_cannot_tell_is_refused(
    folder: Path, served: Served, given: dict[str, str], more: list[str], said: str
) -> None:
    options = ["--no-cache"] if given.get("model") == "" else []
    listed = [word for word in words(served, **given) if word not in options]
    done = mabench(*listed, "--estimate-by-row", *more, cwd=folder)
    assert done.returncode == 2
    assert said in done.stderr
    assert served.calls == 0
    assert not (folder / "runs").exists()


def test_a_row_that_fails_says_why(folder: Path, served: Served) -> None:
    served.fault = lambda call: 400 if call > 1 else None
    done = by_row(folder, served)
    assert done.returncode == 1
    assert "says nothing of the others: memorizing failed" in done.stderr
    assert "--retry-errors" in done.stderr
    served.fault = lambda call: None
    done = by_row(folder, served, "--retry-errors")
    assert done.returncode == 0, done.stderr
    assert "Measured: row 1" in done.stdout
