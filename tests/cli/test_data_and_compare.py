import csv
import json
import re
import shutil
from pathlib import Path

import pytest

from mabench.data import export_hub_layout, open_dataset
from mabench.loading import load
from mabench.loading import validate as validate_rows
from tests.command_line import Done, mabench, succeed
from tests.comparison.made import made_run
from tests.rows import dataset, moves, row, two_rows, write_rows

_QA = "ruler_qa1_197K"


def compare(*words: str) -> Done:
    return mabench("compare", *words, cwd=Path.cwd())


def _said(*words: str) -> str:
    return " ".join(compare(*words, "--full").stdout.split())


@pytest.fixture
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a good run, a bad one, and one like the good one, where commands are given."""
    monkeypatch.chdir(tmp_path)
    made_run(tmp_path / "good", {_QA: [[1] * 90 + [0] * 10]}, agent="good")
    made_run(tmp_path / "bad", {_QA: [[1] * 60 + [0] * 40]}, agent="bad")
    made_run(tmp_path / "same", {_QA: [[0] * 10 + [1] * 90]}, agent="same")
    return tmp_path


@pytest.mark.usefixtures("runs")
def test_a_comparison_ends_with_what_was_found_or_cannot_be_told() -> None:
    for named in ("good", "bad"), ("bad", "good"):
        said = _said(*named)  # The best is A, whatever the order.
        found = re.search(r"A beats B by 30.0 points \(95 % interval (.*?)\)", said)
        assert found
        low, high = map(float, found[1].strip("†").split(" to "))
        assert 0 < low < 30 < high
    assert "on these histories" in said
    assert "mabench generate SOURCE --rows 10" in said
    said = _said("good", "same")
    assert "A and B are not shown to differ, of these two builds" in said
    assert "such a comparison shows a difference of" in said
    assert "--repeat 3" in said


@pytest.mark.usefixtures("runs")
def test_json_has_the_documented_fields_and_flipped_questions_are_listed() -> None:
    content = json.loads(compare("good", "bad", "--format", "json", "--flipped").stdout)
    assert content["schema"] == 1
    assert [run["run"] for run in content["runs"]] == ["good", "bad"]
    (pair,) = content["pairs"]
    assert {"a", "b", "sources", "columns", "categories", "overall"} <= set(pair)
    source = pair["sources"][_QA]
    assert source["difference"] == pytest.approx(30)
    assert set(source["these_histories"]) == {"low", "high", "p"}
    assert source["new_histories"] is None
    assert {"wins", "losses", "ties", "histories", "detectable"} <= set(source)
    assert pair["columns"]["SH-QA"]["difference"] == pytest.approx(30)
    (flips,) = content["flipped"]
    assert len(flips["questions"]) == source["wins"] + source["losses"]
    printed = compare("good", "bad", "--flipped").stdout
    listed = [f"Question {number} about history 0?" in printed for number in (60, 5)]
    assert listed == [True, False]
    printed = compare("good", "bad", "--format", "markdown").stdout
    assert re.search(r"^\| ?ruler.qa1.197K", printed.replace("\\", ""), re.MULTILINE)


@pytest.mark.parametrize(
    "arguments",
    [["bad"], ["bad", "good", "--score", "right"], ["bad", "good", "--format", "xml"]],
)
@pytest.mark.usefixtures("runs")
def test_what_cannot_be_compared_is_refused(arguments: list[str]) -> None:
    done = compare(*arguments)
    assert done.returncode == 2, done.stdout + done.stderr
    assert "Traceback" not in done.stderr


def test_own_material(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("subject,relation,object\nAnn,lives in,Rome\n")
    arguments = ("factconsolidation", "--from", "t.csv", "--out", "out")
    succeed("generate", *arguments, cwd=tmp_path)
    (row,) = open_dataset(tmp_path / "out").rows()
    assert row.answers == [["Rome"]]


def test_a_sweep_goes_on_and_is_opened_by_its_folder(tmp_path: Path) -> None:
    words = "sweep floor no-memory --source factconsolidation_sh --knob tokens=1k,2k --out swept"
    command = (*words.split(), "--knob", "questions=8")
    done = succeed(*command, cwd=tmp_path)
    assert done.stdout.startswith("On factconsolidation_sh (made up) at tokens 1,000 and 2,000: ")
    assert done.stdout.count("┏") == 1
    samples = tmp_path / "swept" / "tokens-2000" / "floor" / "samples.jsonl"
    before = samples.stat().st_mtime_ns
    steps = json.loads(succeed(*command, "--format", "json", cwd=tmp_path).stdout)
    found = {(step["value"], step["n"], step["errors"]) for step in steps}
    assert found == {(1000, 8, 0), (2000, 8, 0)}
    assert samples.stat().st_mtime_ns == before
    assert succeed("report", "swept", cwd=tmp_path).stdout == done.stdout
    table = succeed("report", "swept", "--format", "csv", cwd=tmp_path).stdout
    rows = {(row["agent"], row["tokens"]) for row in csv.DictReader(table.splitlines())}
    assert rows == {(agent, at) for agent in ("floor", "no-memory") for at in ("1000", "2000")}
    compared = succeed("compare", "swept", cwd=tmp_path).stdout
    assert compared.count("floor is best: shown to be better than the other") == 2
    pairs = mabench("compare", "swept", "--baseline", "swept/tokens-1000/floor", cwd=tmp_path)
    assert "the runs of one value: swept/tokens-1000/*" in pairs.stderr
    for folder in (tmp_path / "swept").glob("*/no-memory"):
        shutil.rmtree(folder)
    alone = mabench("compare", "swept", cwd=tmp_path)
    assert (alone.returncode, alone.stdout) == (2, "")
    assert "a sweep of floor alone" in alone.stderr


def test_rows_come_in_the_hubs_layout_with_a_manifest_that_makes_them_again(tmp_path: Path) -> None:
    words = "generate all --tokens 9k --rows 1 --questions 1 --seed 3 --knob noise=0.2 --out one"
    succeed(*words.split(), cwd=tmp_path)
    succeed("generate", "one/manifest.json", "--out", "two", cwd=tmp_path)
    one, two = tmp_path / "one", tmp_path / "two"
    names = "README.md data entity2id.json manifest.json"
    assert sorted(path.name for path in one.iterdir()) == names.split()
    files = sorted(p.relative_to(one) for p in one.rglob("*") if p.is_file() and p.suffix != ".md")
    assert all((one / file).read_bytes() == (two / file).read_bytes() for file in files)
    manifest = json.loads((one / "manifest.json").read_text(encoding="utf-8"))
    assert (manifest["generator"], manifest["seed"]) == (4, 3)
    (recsys,) = [row for row in manifest["rows"] if row["source"] == "recsys_redial_full"]
    assert (recsys["knobs"]["noise"], recsys["tokens"]) == (0.2, 9_000)
    made = open_dataset(one)
    assert len(list(made.rows())) == len(manifest["rows"])
    assert not validate_rows(made)  # Nor of counts that differ from the inventory's.


def test_a_difficulty_sets_the_knobs_that_are_not_given_also_of_a_sweep(tmp_path: Path) -> None:
    words = "generate eventqa_full detective_qa --difficulty hard --knob things=4 --tokens 9k"
    size = "--rows 1 --questions 3 --out out"
    succeed(*words.split(), *size.split(), cwd=tmp_path)
    events, mystery = json.loads((tmp_path / "out" / "manifest.json").read_text())["rows"]
    assert events["difficulty"] == mystery["difficulty"] == "hard"
    assert (events["knobs"]["things"], events["knobs"]["elsewhere"]) == (4, 3)
    assert mystery["knobs"]["bystanders"] == 10
    words = "sweep floor --source eventqa_full --knob tokens=16k --knob questions=20 --format json"
    scores = []
    for difficulty in ("easy", "hard"):
        more = ("--difficulty", difficulty, "--out", difficulty)
        done = succeed(*words.split(), *more, cwd=tmp_path)
        scores += [step["official"] for step in json.loads(done.stdout)]
    assert scores[0] > scores[1] + 10


def test_made_up_rows_are_called_by_what_they_are(tmp_path: Path) -> None:
    def printed(line: str) -> str:
        return succeed(*line.split(), cwd=tmp_path).stdout

    for length, out in (("2k", "short"), ("16k", "long")):
        printed(f"generate ruler_qa1_197K --tokens {length} --questions 3 --out {out}")
        assert open_dataset(tmp_path / out).titles == {_QA: f"ruler_qa1, {length}, made up"}
    assert load("synthetic:compare").titles["eventqa_65536"] == "eventqa, 48k to 80k, made up"
    ran = printed("run bm25 --data short --out runs/short")
    printed("run no-memory --data short --out runs/none")
    compared = printed("compare 1 2")
    for text in (ran, compared):
        assert "ruler_qa1, 2k" in text
    assert "(made up)" in ran
    for text in (ran, compared, printed("show none")):
        assert _QA not in text
    assert f",{_QA}," in printed("report short --format csv")
    (tmp_path / "short" / "manifest.json").unlink()
    assert open_dataset(tmp_path / "short").titles == {}


_TOWERS = " ".join(["A tower of 300 metres."] * 7)


@pytest.fixture
def _screen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")


@pytest.mark.usefixtures("_screen")
def test_one_screen_says_what_a_data_set_holds_and_what_is_missing(tmp_path: Path) -> None:
    export_hub_layout(dataset(), tmp_path / "rows")
    shown = succeed("data", "show", "rows", cwd=tmp_path).stdout
    assert len(shown.splitlines()) <= 24
    first = (
        "rows holds 5 questions about 2 histories of 2 sources, about 50 tokens in all; it lacks "
    )
    assert " ".join(shown.split()).startswith(f"{first}20 sources of the benchmark.")
    assert "│ factconsolidation_sh_6k │ 1 of 1 │ 3 of 100 │" in " ".join(shown.split())
    assert "no rows of: ruler_qa2_421K, eventqa_full, " in shown
    assert "fields: source, qa_pair_ids in all\nfingerprint: " in shown
    content = json.loads(succeed("data", "show", "rows", "--format", "json", cwd=tmp_path).stdout)
    facts = content["sources"][1]
    assert (facts["rows"], facts["official_rows"], facts["questions"]) == (1, 1, 3)
    assert (facts["answers"], facts["fields"]) == (3, ["source", "qa_pair_ids"])
    assert len(content["missing"]) == 20


@pytest.mark.usefixtures("_screen")
def test_a_question_is_shown_with_the_text_around_its_golds(tmp_path: Path) -> None:
    towers = row("ruler_qa1_197K", _TOWERS, [("How high?", ["300 metres", "300 Metres", "4 m"])])
    write_rows(tmp_path / "rows.jsonl", [two_rows()[0], towers])
    words = ("data", "show", "rows.jsonl", "--row", "0", "--question", "0")
    shown = succeed(*words, cwd=tmp_path).stdout
    facts, high = shown.split("─" * 80)
    assert "factconsolidation_sh_6k, row 0, question 0 (Conflict_Resolution)" in facts
    assert "A gold occurs once in the history of" in facts
    assert "2. Ann lives in [Bern]." in facts
    assert "A gold occurs at 7 places" in high
    assert "  and 2 more" in high
    assert "300 metres (compared as '300 metres', also '300 Metres')" in high
    assert "4 m (compared as '4 m'; doubtful: candidates-contradict)" in high
    listed = succeed("data", "show", "rows.jsonl", "--row", "0", cwd=tmp_path).stdout
    assert "Where does Bob live?" in listed
    (one,) = json.loads(
        succeed(*words, "--source", "ruler_qa1", "--format", "json", cwd=tmp_path).stdout
    )
    assert one["question"]["answers"] == ["300 metres", "300 Metres", "4 m"]
    assert one["golds"]["candidates"][0]["alike"] == ["300 Metres"]
    place = one["places"][1]
    assert _TOWERS[place["start"] : place["end"]] == "300 metres"
    ((start, end),) = place["marks"]
    assert place["text"][start:end] == "300 metres"
    assert place["depth"] == pytest.approx(100 * place["start"] / len(_TOWERS))


def test_an_example_of_own_data_is_run_by_bm25(tmp_path: Path) -> None:
    succeed("data", "init", "shop", "--like", "facts", cwd=tmp_path)
    done = succeed("run", "--data", "shop", "--limit-questions", "1", cwd=tmp_path)
    assert done.stdout.startswith("bm25 retrieved 100 % of what the answers to ")


@pytest.mark.usefixtures("_screen")
def test_older_values_are_shown_and_golds_that_are_no_words_not_looked_for(tmp_path: Path) -> None:
    labelled = row("icl_nlu_8296shot_balance", "a\nlabel: 1\n\n", [("a", ["1"])])
    for name, listed in ("moves", moves()), ("labels", labelled):
        write_rows(tmp_path / f"{name}.jsonl", [listed])

    def shown(name: str, question: int) -> str:
        words = ("data", "show", f"{name}.jsonl", "--question", str(question))
        return succeed(*words, cwd=tmp_path).stdout

    assert "An older value occurs once" in shown("moves", 4)
    assert "[4. Pe4 lives in Old4.]" in shown("moves", 4)
    assert "An older value" not in shown("moves", 5)
    assert "the history is not searched for" in shown("labels", 0)
