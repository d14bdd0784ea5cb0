import io
import json
import os
import signal
import unicodedata
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from mabench import run
from mabench.cli.console import ProgressBars
from mabench.cli.options import GROUPS, read_amount
from mabench.data import BY_NAME
from mabench.errors import UsageError
from mabench.export.exporting import Format
from mabench.injection import PROTOCOLS
from mabench.lookup import available
from mabench.printable import printable, printable_json
from mabench.reports.formats import show_reports
from mabench.reports.report import Report
from mabench.reports.tables import Column, tabulate
from mabench.settings import list_options
from mabench.specs import InjectionSpec, SweepSpec
from mabench_synthetic import DATASETS, DIFFICULTIES
from tests.cli.commands import COMMANDS, ROOT
from tests.command_line import mabench, run_python, start, succeed, until
from tests.printing import print_on
from tests.rows import dataset
from tests.runs.agents import Oslo

_BOX = str.maketrans("│╭╮╰╯─", "      ")
# Options that mean something else in each command, and so have another help.
_OWN_MEANING = {
    "--format",  # the layout of tables; of a verdict
    "--data",  # what is run; the data set of a run that has moved
    "--source",  # which sources are run or shown; the one that a sweep makes rows of
    "--knob",  # values for all rows; in a sweep one of them varies
    "--out",  # each command writes something else
    "--replay",  # kept replies; in a stress the histories of a report
    "--baseline",  # a run; in a stress a report
    "--page",  # the curves of a sweep; the two sides of a gate
    "--questions",  # of a row; made-up answers of each kind that a judge is asked about
    "--seed",  # of rows; in a stress of histories and words
    "--max-cost",  # where a run stops; what a plan may spend
    "--max-hours",  # the same of hours
}
# Kept replies save money; the histories of a report are data.
_OWN_GROUP = {"--replay", "--margin"}
# What asks a model, and how its cost is kept within limits.
_ASKING = ("run", "sweep", "race", "judge", "check")
_GUARDS = {"--model", "--base-url", "--prices", "--max-cost"}
# A sweep makes its rows, a run folder for each.
_OF_RUNS_ALONE = {"--data", "--drafts", "--row", "--limit-questions", "--repeat"}


def _options(name: str) -> list[Any]:
    """Return the options of a command that its help shows, in its order."""
    command = COMMANDS[name]
    params = command.get_params(command.make_context(name, [], resilient_parsing=True))
    return [one for one in params if one.opts[0].startswith("--") and not one.hidden]


def _help(*words: str) -> str:
    with mock.patch.dict(os.environ, {"COLUMNS": "80"}):
        done = mabench(*words, "--help", cwd=Path(__file__).parent)
    assert done.returncode == 0, done.stderr
    return done.stdout


def _groups(command: Any, before: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    yield before, command
    for name, one in command.commands.items():
        if hasattr(one, "commands"):
            yield from _groups(one, (*before, name))


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_nothing_of_a_help_is_cut_at_80_columns(name: str) -> None:
    printed = _help(*name.split())
    assert "…" not in printed
    assert max(map(len, printed.splitlines())) <= 80
    words = printed.translate(_BOX).split()
    text = " ".join(words)
    for option in _options(name):
        for spelled in (*option.opts, *option.secondary_opts):
            assert spelled in " ".join(words).replace(",", " ").split(), spelled
        if option.metavar:
            assert option.metavar in words, option.metavar
        assert " ".join(option.help.split()) in text, option.opts
    for line in (COMMANDS[name].help or "").split("\n\n"):
        assert " ".join(line.split()) in text
    assert not {*"<{"} & {*printed}


@pytest.mark.parametrize("words", [words for words, _ in _groups(ROOT)], ids=" ".join)
def test_nothing_of_the_list_of_commands_is_cut(words: tuple[str, ...]) -> None:
    printed = _help(*words)
    group = dict(_groups(ROOT))[words]
    text = " ".join(printed.translate(_BOX).split())
    assert "…" not in printed
    assert max(map(len, printed.splitlines())) <= 80
    for name, command in group.commands.items():
        about = " ".join(command.help.split("\n\n")[0].split())
        assert f"{name} {about}" in text
    assert "╭─ Options" not in printed


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_every_option_stands_in_a_group_and_groups_in_one_order(name: str) -> None:
    groups = [one.rich_help_panel for one in _options(name)]
    assert {*groups} <= {*GROUPS}
    assert groups == sorted(groups, key=GROUPS.index)
    assert [one.opts[0] for one in _options(name) if one.rich_help_panel == "Help"] == ["--help"]


def test_one_name_is_one_thing_everywhere() -> None:
    """The inventory: an option of a name has one form, one metavar, one group and one help."""
    kinds: dict[str, set[tuple[object, ...]]] = defaultdict(set)
    helps: dict[str, set[str]] = defaultdict(set)
    for name in COMMANDS:
        for option in _options(name):
            for spelled in option.opts:
                panel = None if spelled in _OWN_GROUP else option.rich_help_panel
                kind: tuple[object, ...] = (bool(option.is_flag), panel)
                if spelled not in _OWN_MEANING:
                    kind += (option.metavar, option.multiple)
                kinds[spelled].add(kind)
                helps[spelled].add(option.help)
    assert {name: kind for name, kind in kinds.items() if len(kind) > 1} == {}
    several = {name for name, texts in helps.items() if len(texts) > 1}
    assert several <= _OWN_MEANING


def test_the_same_names_where_the_same_is_done() -> None:
    options = {name: {one for o in _options(name) for one in o.opts} for name in COMMANDS}
    for name in _ASKING:
        assert options[name] >= _GUARDS, name
    assert options["run"] - options["sweep"] == _OF_RUNS_ALONE
    for name in ("run", "sweep", "judge"):
        assert options[name] >= {"--estimate", "--cache", "--replay", "--quiet", "--format"}, name
    silent = {"data init", "data import", "data export", "data page", "generate", "export", "page"}
    silent |= {"cite", "demo", "view", *(name for name in COMMANDS if name.startswith("cache "))}
    for name in {*COMMANDS} - silent:
        assert "--format" in options[name], name


@pytest.mark.parametrize("line", ["run bm25 --estimate --format json --data", "data show"])
def test_a_range_of_rows_stands_for_each(line: str, tmp_path: Path) -> None:
    words = "generate ruler_qa1 --tokens 1k --rows 4 --questions 2 --out rows"
    mabench(*words.split(), cwd=tmp_path)
    one_by_one, as_range = (
        mabench(*line.split(), "rows", *words.split(), cwd=tmp_path).stdout
        for words in ("--row 0 --row 1 --row 2 --row 3", "--row 0-1 --row 2-3")
    )
    assert one_by_one == as_range != ""


def test_every_layout_of_a_table_and_a_sweep_of_one_knob(tmp_path: Path) -> None:
    listed = json.loads(mabench("agents", "--format", "json", cwd=tmp_path).stdout)
    assert listed[0]["name"] == "floor"
    csv = mabench("agents", "--format", "csv", cwd=tmp_path).stdout
    assert csv.splitlines()[0] == "Agent,From,What it is"
    assert csv.splitlines()[1].startswith("floor,built-in,")
    markdown = mabench("agents", "--format", "markdown", cwd=tmp_path).stdout
    assert markdown.splitlines()[1] == "| --- | --- | --- |"
    words = "--source factconsolidation_mh --knob tokens=1k,2k --knob questions=3 --estimate"
    for agents, names in ((["bm25"], [""]), (["bm25[k=3]", "floor"], ["bm25-k-3, ", "floor, "])):
        done = succeed("sweep", *agents, *words.split(), "--format", "json", cwd=tmp_path)
        values = [f"{name}tokens={tokens}" for name in names for tokens in (1000, 2000)]
        assert [one["source"] for one in json.loads(done.stdout)] == values
    assert not [*tmp_path.iterdir()]


@pytest.mark.parametrize(
    ("text", "number"),
    [
        *((text, 1500) for text in ("1500", "1500.0", "1.5k", "1.5K", "1_500", "1.5e3", "15e2")),
        *((text, 2_000_000) for text in ("2M", "2m", "2.0m", "2_000k", "2e6")),
        *((text, 0.25) for text in ("0.25", "0.250", "25e-2")),
        ("1.005k", 1005),
        ("0.0", 0),
    ],
)
def test_a_number_is_the_same_however_it_is_written(text: str, number: float) -> None:
    value = read_amount(text, "--knob")
    assert (value, type(value)) == (number, type(number))
    points = SweepSpec(source="icl", knob="tokens", values=(float(number),)).values
    assert repr(points) == repr((number,))


@pytest.mark.parametrize(
    "text", ["", "k", "1__0", "_1", "-1", "1e", "1e999", "1e99999", "nan", "inf", "0x10", "9" * 99]
)
def test_what_is_no_number_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match=r"--knob: '.{0,41}' is no number; write 600, 6k"):
        read_amount(text, "--knob")


def test_a_value_given_twice_to_a_sweep_is_refused_from_python_too() -> None:
    with pytest.raises(UsageError, match="the value tokens=1500 is given twice"):
        SweepSpec(source="icl", knob="tokens", values=(1500, 1500.0))
    with pytest.raises(UsageError, match="the value rare=0 is given twice"):
        SweepSpec(source="icl", knob="rare", values=(0, 1, 0.0))


_SLOW = {"pyarrow", "scipy", "sklearn", "nltk", "mabench.runs", "mabench.reports"}
_COMPLETE = """
import sys
from typing import Any
sys.argv = ["mabench"]
from mabench.cli import main
try:
    main()
finally:
    print(*sorted({slow} & set(sys.modules)), file=sys.stderr)
"""


def _completed(line: str) -> tuple[list[str], str]:
    words = line.split(" ")
    told = {
        "_MABENCH_COMPLETE": "complete_bash",
        "COMP_WORDS": line,
        "COMP_CWORD": str(len(words) - 1),
    }
    done = run_python(_COMPLETE.format(slow=_SLOW), env={**os.environ, **told})
    return done.stdout.split(), done.stderr.strip()


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("mabench run bm", ["bm25"]),
        ("mabench run --source icl_bank", ["icl_banking77", "icl_banking77_5900shot_balance"]),
    ],
)
def test_a_shell_is_offered_values_quickly(line: str, offered: list[str]) -> None:
    assert _completed(line) == (offered, "")


def _offered(command: str, name: str, beginning: str = "") -> list[str]:
    param = next(param for param in COMMANDS[command].params if param.name == name)
    context = COMMANDS[command].make_context(command, [], resilient_parsing=True)
    return [item.value for item in param.shell_complete(context, beginning)]


def test_the_names_that_are_offered_are_those_that_there_are() -> None:
    assert _offered("run", "agent") == [agent.name for agent in available()]
    assert {*BY_NAME} < {*_offered("gate", "on")}
    assert {*_offered("run", "data")} == {"hub", *(f"synthetic:{name}" for name in DATASETS)}
    assert {*_offered("run", "layout")} == {"table", "markdown", "latex", "csv", "json"}
    settings: Any = {**list_options(InjectionSpec), **list_options(SweepSpec)}
    assert {*settings["protocol"].setting.choices} == {*PROTOCOLS}
    assert {*settings["difficulty"].setting.choices} == {*DIFFICULTIES}
    assert {*_offered("export", "to")} == {*Format}
    assert _offered("run", "layout", "c") == ["csv"]


def test_every_option_of_a_name_offers_names() -> None:
    named = {"--source", "--format", "--protocol", "--executor", "--difficulty", "--to", "--score"}
    for name, command in COMMANDS.items():
        for param in command.params:
            if named & {*param.opts} or param.metavar in ("DATA", "AGENT"):
                assert param._custom_shell_complete is not None, (name, param.opts)


_EVIL = "\x1b[31m\x1b]0;owned\x07\x9b2J\x08\x7f\r\u202ereversed\u2066\u200f\U000e0041"
_KEPT = "a\tb\nc é 漢 👩\u200d💻 ñ\u0301"


def unfit(text: str) -> list[str]:
    bidi = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}
    return [
        one
        for one in text
        if (unicodedata.category(one) in ("Cc", "Cs") and one not in "\n\t")
        or unicodedata.bidirectional(one) in bidi
    ]


@given(st.text(st.characters(), max_size=50))
def test_no_text_holds_codes(text: str) -> None:
    assert unfit(printable(text)) == []
    assert len(printable(text)) == len(text)
    assert unfit(printable_json(json.dumps(text, ensure_ascii=False))) == []
    assert json.loads(printable_json(json.dumps(text, ensure_ascii=False))) == text


def test_a_report_in_each_form_and_ordinary_text() -> None:
    columns: list[Column[str]] = [Column(_EVIL, lambda text: text), Column("n", lambda _: 1, "")]
    report = Report(_EVIL, [tabulate(columns, [_EVIL])], [_EVIL])
    for layout in ("table", "markdown", "csv", "json"):
        printed = print_on(
            200,
            lambda console: show_reports([report], lambda: {_EVIL: _EVIL}, layout, console),  # noqa: B023
        )
        assert "reversed" in printed
        assert unfit(printed) == []
    assert printable(_KEPT) == _KEPT


def test_what_commands_print(tmp_path: Path) -> None:
    class Evil(Oslo):
        def answer(self, query: object) -> str:
            raise ValueError(_EVIL)

    Evil.__qualname__ = f"Evil{_EVIL}"
    run(Evil, dataset(), out=tmp_path / "run", limit_questions=1)
    row = {"context": _EVIL, "questions": [_EVIL], "answers": [[]], "metadata": {"source": _EVIL}}
    (tmp_path / "rows.jsonl").write_text(json.dumps(row), encoding="utf-8")
    (tmp_path / "evil.py").write_text(
        "class Evil:\n    def memorize(self, chunk): pass\n"
        f"    def answer(self, query): raise ValueError({_EVIL!r})\n",
        encoding="utf-8",
    )
    small = ("--data", "synthetic:small", "--source", "ruler_qa1_197K", "--limit-questions", "1")
    for arguments in (
        ("report", "run"),
        ("report", "run", "--format", "markdown"),
        ("report", "run", "--format", "json"),
        ("data", "validate", "rows.jsonl"),
        ("data", "validate", "rows.jsonl", "--format", "json"),
        ("data", "show", "rows.jsonl"),
        ("run", "evil:Evil", *small),
        ("run", f"no{_EVIL}", *small),
        ("report", f"no{_EVIL}"),
    ):
        done = mabench(*arguments, cwd=tmp_path)
        printed = done.stdout + done.stderr
        assert printed
        assert unfit(printed) == [], arguments


def _shown(monkeypatch: pytest.MonkeyPatch, *, terminal: bool) -> str:
    stream = io.StringIO()
    console = Console(
        file=stream, force_terminal=terminal, width=160, markup=False, highlight=False
    )
    monkeypatch.setattr("mabench.cli.console.progress_bars.messages", lambda: console)
    with ProgressBars() as bars:
        bars.start("questions", 9, done=2)
        for row in range(2):
            bars.start("chunks", 12, title=f"[s], row {row}", note="25 questions")
            bars.advance("chunks")
        bars.advance("questions", "7 tokens, $0.12, 1 errors")
        bars.advance("questions")
        bars.say("[s], row 0, question 3: no idea")
    return stream.getvalue()


def test_a_terminal_shows_a_bar_for_each_kind_of_work_and_else_there_are_lines(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    shown = _shown(monkeypatch, terminal=True)
    last = shown[shown.rindex("questions") :]
    for text in ("4/9", "7 tokens, $0.12, 1 errors", "[s], row 1", "1/12"):
        assert text in last
    assert "[s], row 0, question 3: no idea" in shown
    assert "25 questions" not in shown
    assert _shown(monkeypatch, terminal=False).splitlines() == [
        "[s], row 0: 12 chunks, 25 questions",
        "[s], row 1: 12 chunks, 25 questions",
        "[s], row 0, question 3: no idea",
    ]


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_ctrl_c_in_any_command_exits_with_130(name: str, tmp_path: Path) -> None:
    command, words = COMMANDS[name], name.split()
    for param in command.params:
        if param.required:  # An argument, or an option and its value.
            words += [*(word for word in param.opts[:1] if word.startswith("--")), "x"]
    with mock.patch.object(command, "callback", side_effect=KeyboardInterrupt):
        done = mabench(*words, cwd=tmp_path)
    assert done.returncode == 130
    assert "Traceback" not in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_while_a_sweep_runs(number: signal.Signals, tmp_path: Path) -> None:
    (tmp_path / "slow.py").write_text(
        "import time\n"
        "class Slow:\n"
        "    def memorize(self, chunk): open('begun', 'w').close()\n"
        "    def answer(self, query): time.sleep(0.2); return ''\n"
    )
    words = "sweep slow:Slow --source factconsolidation_mh --knob tokens=1k"
    running = start(*words.split(), cwd=tmp_path)
    until((tmp_path / "begun").exists)
    running.send_signal(number)
    _, said = running.communicate(timeout=60)
    assert running.returncode == 128 + number
    assert "To resume: mabench sweep slow:Slow" in said
    assert "Traceback" not in said
