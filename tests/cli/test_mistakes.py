import json
import shlex
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.command_line import mabench, succeed

_SMALL = "--source factconsolidation_sh_6k --limit-questions 1 --quiet"
_NOTES = """
class Notes:
    def __init__(self, best=3): ...
    def memorize(self, chunk): ...
    def answer(self, query): return ""
"""
# What is typed, the exit code, and what is said.
_MISTAKES = [
    ("run bm52", 2, "did you mean bm25?"),
    ("run nosuch", 2, "'nosuch'; `mabench agents` lists them"),
    ("rnu bm25", 2, "no command 'rnu': did you mean run? `mabench --help` lists them"),
    ("data shwo x", 2, "no command 'shwo': did you mean show? `mabench data --help` lists them"),
    ("--no-such-option", 2, "no option --no-such-option; `mabench --help` lists them"),
    ("run --no-such-option", 2, "no option --no-such-option; `mabench run --help` lists them"),
    ("run --limit 3", 2, "no option --limit: did you mean --limit-questions"),
    ("run --questions 3", 2, "did you mean --limit-questions or --questions-in-parallel? `mabench"),
    ("compare --fail-if 3", 2, "no option --fail-if: did you mean --fail-if-worse"),
    ("run bm25 floor", 2, "no argument is expected after the others: floor; see `mabench run --he"),
    ("run --repeat x", 2, ": --repeat must be a whole number, not 'x'; see `mabench run --help`"),
    ("run --temperature hot", 2, ": --temperature must be a number, not 'hot'; see `mabench run"),
    ("run --row", 2, ": --row needs a value; see `mabench run --help`"),
    ("run --quiet=3", 2, "'--quiet' does not take a value; see `mabench run --help`"),
    ("run --out mine.py", 2, "--out: 'mine.py' is a file; see `mabench run --help`"),
    ("run ''", 2, "an argument is empty; leave it out, or check the variable it is from"),
    ("run --out ''", 2, "an argument is empty"),
    ("compare", 2, ": compare needs RUN; see `mabench compare --help`"),
    ("export a", 2, ": export needs --to; see `mabench export --help`"),
    ("run bm25 --set kk=3", 2, "--set: bm25 has no setting 'kk': did you mean k?"),
    ("run bm25 --estimate --set kk=3", 2, "did you mean k?"),
    ("run bm25 --set depth=3", 2, "no setting 'depth'; known: recipe, k"),
    ("run bm25 --set depth", 2, "write it as name=value"),
    ("run dense", 1, "dense needs sentence_transformers"),
    ("check dense", 1, "dense needs sentence_transformers"),
    ("run collections:namedtuple", 2, "give --set typename=VALUE"),
    ("run nomodule:make", 2, "nomodule"),
    ("run --row 5-0", 2, "--row 5-0: write a number, such as 3, or a range, such as 0-5"),
    ("run --prices p.toml", 2, "--prices applies only with a model: name it with --model"),
    ("check bm25 --prices p.toml", 2, "--prices applies only with --model: give that, too"),
    ("run bm25 --temperature 0.7", 2, "--temperature applies only with --model"),
    ("run --ray-address x", 2, "--ray-address: a Ray cluster needs the --executor"),
    ("run floor --replay cache", 2, "--replay applies only with a model"),
    ("cache show --folder nothing", 1, "no cached replies here"),
    ("run --protocol papre", 2, "unknown protocol"),
    ("run --source rulr", 2, "did you mean ruler_qa2 or ruler_qa1?"),
    ("run --repeat 0", 2, "--repeat must be at least 1, not 0"),
    ("run --data nowhere", 1, "nowhere; a data set is a path, hub, or a made-up set such as"),
    ("run --data syntetic:small", 1, ": did you mean synthetic:small? a data set is a path"),
    ("run --data hubb", 1, "hubb: did you mean hub? a data set is a path"),
    ("run --data synthetic:huge", 2, "synthetic:small"),
    ("run --chunk-tokens 0", 2, "chunk-tokens"),
    ("run --rows-in-parallel 0", 2, ": --rows-in-parallel must be at least 1, not 0"),
    ("run long-context", 2, "a language model: name one with --model"),
    (f"run bm25 {_SMALL} --out 'all runs'", 2, "holds other runs, such as "),
    ("run bm25 --data 'all runs/a'", 1, "is a run folder with answers, not rows"),
    ("judge nowhere", 2, "nowhere: no run here (there is no run.json); `mabench runs` lists"),
    ("judge 'all runs/a' --max-cost nan", 2, ": --max-cost must be finite, not nan"),
    ("report nowhere", 2, "no run here"),
    ("report nowhere --format html", 2, "unknown format"),
    ("report nowhere --format tabel", 2, "--format: unknown format 'tabel': did you"),
    ("report -- --json", 2, "--json: no run here (there is no run.json); `mabench runs`"),
    ("report a 'the other'", 2, "to compare these: mabench compare a 'the other'"),
    ("sources --format tabel", 2, "--format: unknown format 'tabel': did you mean table?"),
    ("check bm25 --format tabel", 2, "--format: unknown format 'tabel': did you mean table?"),
    ("show 'all runs/a' --flipped-from none", 2, "none: no run here"),
    ("score nowhere", 2, "no run here"),
    ("score 'all runs/a' 'all runs/b'", 2, "score one run at a time"),
    ("score 'all runs/a/samples.jsonl'", 2, "give the --data that it answers"),
    (
        "compare nowhere 'all runs/a'",
        2,
        "nowhere: no run here (there is no run.json); `mabench run",
    ),
    ("compare 'all runs/a' 'all runs/b' --score offical", 2, "--score: unknown score 'offical': "),
    ("compare 'all runs/a' 'all runs/a'", 2, "name it once, as a run or"),
    ("export 'all runs/a' --to excel --out x", 2, "--to: unknown format 'excel'; known: inspect, "),
    pytest.param(
        *("export 'all runs/a' --to inspect --out logs", 1, "[inspect]'"),
        marks=pytest.mark.skipif(find_spec("inspect_ai") is not None, reason="it is installed"),
    ),
    ("export 'all runs/a' --to csv --out list.json", 2, "--out: list.json exists already; choose "),
    ("page 'all runs/a' --out mine.py", 2, "it would be overwritten; name a file that ends in .h"),
    ("stress mine:Notes --out mine.py", 2, "mine.py: it would be overwritten; name a file that e"),
    ("run bm25 --model m --base-url host:80", 2, "'host:80' is no address of a server; write it "),
    ("run bm25 --row 99", 1, "`mabench data show synthetic:small` lists what it holds"),
    ("data show nowhere", 1, "a made-up set such as"),
    ("data page nowhere --out x.html", 1, "a made-up set such as"),
    ("data show synthetic:small --row one", 2, "--row one: write a number, such as 3, or a range"),
    ("data page synthetic:small --out none/x.html", 2, "--out: none/x.html: there is no folder no"),
    ("data page synthetic:small --out x.html --protocol papr", 2, "did you mean paper? known: "),
    ("data show list.json", 1, "list.json, row 0, context: found nothing"),
    ("data show synthetic:small --source x --row 0", 2, "`mabench sources` lists them"),
    ("data show synthetic:small --row 9", 1, "numbered from 0 in their split: ruler_qa1_197K 0, "),
    ("data show synthetic:small --question 99", 2, "no question 99; they go from 0 to 39"),
    ("data chunks synthetic:small --source x", 2, "`mabench sources` lists them"),
    ("check bm52", 2, "did you mean bm25?"),
    ("check mine:Notes --set worst=2", 2, "no setting 'worst'; known: best"),
    ("check mine:Notes --timeout 0", 2, "--timeout: 0 s; give a number of seconds above 0"),
    ("generate fact --out x", 2, "no source is named 'fact'"),
    ("generate icl --tokens many --out x", 2, "'many' is no number; write 600, 6k, 1.5m or 0.25"),
    *(
        (f"generate icl --{option} 0 --out x", 2, f": --{option} must be at least 1, not 0")
        for option in ("tokens", "rows", "questions")
    ),
    ("generate icl --knob hops=2 --out x", 2, "no source asked for has a knob 'hops'"),
    ("generate icl --knob shots --out x", 2, "--knob shots: write it as name=value"),
    ("generate icl --knob rare=1 --knob rare=0 --out x", 2, "--knob rare is given twice"),
    ("generate icl --from nowhere.csv --out x", 1, "nowhere.csv: not a readable table"),
    ("generate icl ruler --from x.csv --out x", 2, "--from takes one source"),
    ("generate longmemeval --from list.json --out x", 1, "found a list of 1; the file holds an"),
    ("generate ruler_qa1 --from object.json --out x", 1, "no list 'data'; give it the form of"),
    ("generate longmemeval_z --out x", 2, "'longmemeval_z': did you mean longmemeval"),
    ("generate old.json --out x", 1, "these rows are of generation 1, and this"),
    ("generate bare.json --out x", 1, "bare.json, rows: is missing"),
    ("generate list.json --out x", 1, "give a manifest.json that mabench wrote"),
    ("generate hops.json --out x", 1, "hops.json, rows.0.knobs: no such knob: 'hops'"),
    ("generate hops.json --seed 5 --out x", 2, "a manifest says all about its rows; besides it, "),
    ("generate icl --difficulty harder --out x", 2, "difficulty: 'harder': did you mean hard?"),
    ("sweep oracle --source ruler --knob tokens=6k", 2, "ruler means ruler_qa1_197K, "),
    ("sweep floor nobody --source eventqa --knob tokens=6k --out x", 2, "no agent named 'nobody'"),
    ("sweep floor floor --source eventqa --knob tokens=6k", 2, "the agent floor is given twice"),
    ("sweep oracle --source icl --knob token=6k", 2, "has no knob 'token': did you mean tokens?"),
    ("sweep oracle --source icl --knob tokens", 2, "--knob tokens: write it as KNOB=V1,V2"),
    ("sweep oracle --source icl --knob tokens=x", 2, "--knob: 'x' is no number"),
    ("sweep oracle --source detective_qa --knob hops=2", 2, "no knob 'hops'; known: tokens"),
    ("sweep oracle --source ruler_qa1 --knob tokens=6k,6k", 2, "a value comes twice"),
    ("sweep oracle --source icl --knob a=1 --knob a=2", 2, "--knob a is given twice"),
    ("sweep oracle --source icl --knob a=1,2 --knob b=3,4", 2, "not a and b"),
    ("sweep bm25 --source ruler_qa1 --knob tokens=2k --knob k=3", 2, "agent's own go with --set"),
    ("sweep bm25 --source eventqa --knob tokens=1k,2k", 2, "ask for that many at most, or "),
    ("sweep oracle --source ruler_qa1 --knob tokens=6k --set kk=3", 2, "--set: oracle has no"),
    ("sweep oracle --source ruler_qa1 --knob tokens=6k --difficulty har", 2, "did you mean hard?"),
]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("mistakes")
    for name in ("a", "b"):
        succeed("run", "bm25", *_SMALL.split(), "--out", f"all runs/{name}", cwd=place)
    (place / "list.json").write_text('[{"role": "user"}]')
    (place / "object.json").write_text("{}")
    (place / "old.json").write_text('{"generator": 1, "seed": 0, "rows": []}')
    (place / "bare.json").write_text('{"generator": 3, "seed": 0}')
    row = {"source": "detective_qa", "row": 0, "tokens": 9, "questions": 1, "knobs": {"hops": 1}}
    manifest = {"generator": 3, "seed": 0, "rows": [row | {"difficulty": "real"}]}
    (place / "hops.json").write_text(json.dumps(manifest))
    (place / "mine.py").write_text(_NOTES)
    return place


@pytest.mark.parametrize(("line", "code", "message"), _MISTAKES)
def test_a_mistake_is_answered_in_one_line(
    place: Path, line: str, code: int, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.dont_write_bytecode", True)
    before = sorted(place.rglob("*"))
    done = mabench(*shlex.split(line), cwd=place)
    assert (done.returncode, done.stdout) == (code, ""), done.stderr
    assert message in done.stderr
    assert done.stderr.startswith("mabench: ")
    assert done.stderr.count("\n") == 1
    assert "Traceback" not in done.stderr
    assert "_Chats" not in done.stderr
    assert sorted(place.rglob("*")) == before


def test_one_chunk_and_one_question_are_not_called_several(tmp_path: Path) -> None:
    made = ("generate", "infbench", "--rows", "1", "--tokens", "300", "--out", "rows")
    succeed(*made, cwd=tmp_path)
    said = mabench("run", "bm25", "--data", "rows", cwd=tmp_path).stderr
    assert "row 0: 1 chunk, 1 question\n" in said
    listed = mabench("data", "chunks", "rows", cwd=tmp_path).stdout
    assert ": 1 chunk of " in listed


@pytest.mark.parametrize(
    ("to", "code", "said"), [(">/dev/full", 1, "mabench: no space is left on the"), (">&-", 0, "")]
)
def test_an_output_that_is_full_or_closed_leaves_no_traceback(
    to: str, code: int, said: str, tmp_path: Path
) -> None:
    command = f"exec {shlex.quote(sys.executable)} -m mabench sources {to}"
    done = subprocess.run(["sh", "-c", command], cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stderr[: len(said)]) == (code, said)
    assert "Traceback" not in done.stderr
