import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import mabench
from mabench.data import Source, export_hub_layout, export_questions, open_dataset
from mabench.data.inventory import BY_NAME
from mabench.data.problems import describe
from mabench.data.sources.declarations import explain_unknown
from mabench.data.sources.toml_file import read_declared, read_sources, write_sources
from mabench.data.sources.units import find_unit_starts
from mabench.data.turns import Message
from mabench.errors import DataError, UsageError
from mabench.loading import load, validate
from tests.command_line import mabench as command
from tests.data.samples import DROP, corrupt
from tests.talks import SOURCE, talk, turns

NAME = "my_support_tickets"
PROMPT = "Now Answer the Question: {question}"


def rows(number: int = 5, source: str = NAME, **metadata: Any) -> list[dict[str, Any]]:
    return [
        {
            "context": f"Ticket 1: the pump {n} is red\nTicket 2: the valve {n} is blue\n",
            "questions": [f"Which colour has the pump {n}?"],
            "answers": [["red"]],
            "metadata": {"source": source, "qa_pair_ids": [f"t{n}"], **metadata},
        }
        for n in range(number)
    ]


def folder_of(place: Path, toml: str | None, content: list[dict[str, Any]] | None = None) -> Path:
    place.mkdir(exist_ok=True)
    lines = map(json.dumps, rows() if content is None else content)
    (place / "t.jsonl").write_text("\n".join(lines), encoding="utf-8")
    if toml is not None:
        (place / "sources.toml").write_text(toml, encoding="utf-8")
    return place


DECLARED = f"""
[{NAME}]
family = "answer"
unit = '^Ticket \\d+:'
metric = "exact_match"
prompt = "{PROMPT}"
"""


def test_the_file_or_python_is_part_of_the_fingerprint(tmp_path: Path) -> None:
    def fingerprint(toml: str) -> str:
        return load(folder_of(tmp_path / "tickets", toml)).fingerprint

    changes = (("Ticket", "Case"), ("exact_match", "f1"), ("Now", "now"), ("", ""))
    tables = [DECLARED.replace(*change) for change in changes]
    tables += [f'[{NAME}]\nfamily = "{family}"' for family in ("answer", "judged")]
    assert len({*map(fingerprint, tables)}) == len(tables)
    assert fingerprint(f"# A remark.\n{DECLARED}") == fingerprint(DECLARED)
    there = load(folder_of(tmp_path / "tickets", DECLARED))
    fields = {"family": "answer", "unit": r"^Ticket \d+:", "metric": "exact_match"}
    here = load(rows(), sources={NAME: {**fields, "prompt": PROMPT}})
    assert (here.sources, here.fingerprint) == (there.sources, there.fingerprint)


@pytest.mark.parametrize(
    ("toml", "field", "found", "expected"),
    [
        ("", None, "no source", "a table for each source"),
        ("[a", None, "Expected ']'", "a TOML file"),
        ("a = " + "[" * 20_000, None, "nested deeper", "a TOML file"),
        ("a = 1", "[a]", "1 (int)", "a table with family"),
        ("[a]\n", "[a] family", "nothing", "a family"),
        ("[a]\nfamily = 3", "[a] family", "3 (int)", "text"),
        ('[a]\nfamily = "label"\nfamly = "x"', "[a] famly", "an unknown f", "or no field but"),
        ('[a]\nfamily = "answr"', "[a]", "did you mean answer?", "a family"),
        ('[a]\nfamily = "os:system"', "[a]", "expected a mabench.families.Family", "a family"),
        ('[a]\nfamily = "answer"\nmetric = "f2"', "[a]", "known: substring_exact", "a family"),
        ('[a]\nfamily = "judged"\nmetric = "f1"', "[a]", "judge_accuracy", "a family"),
        ('[a]\nfamily = "answer"\nmetric = ["f1"]', "[a] metric", "a list of 1", "text"),
        ('[a]\nfamily = "answer"\nunit = "(a+)+"', "[a] unit", "a repeated group", "'^Ticket"),
        ('[a]\nfamily = "answer"\nprompt = "Say."', "[a] prompt", "'Say.'", "holds {question}"),
        ('[ruler]\nfamily = "answer"\nmetric = "f1"', "[ruler]", "name of a family", "a family"),
        ('[ruler_qa1_197K]\nfamily = "answer"', "[ruler_qa1_197K]", "of the benchmark", "another"),
        ('["a\\nb"]\nfamily = "answer"', "[a\nb]", "this name", "printed characters"),
        (f'["{"a" * 900}"]\nfamily = "answer"', f"[{'a' * 200}]", "this name", "up to 200"),
    ],
)
def test_a_wrong_file_is_named_with_source_and_field(
    tmp_path: Path, toml: str, field: str | None, found: str, expected: str
) -> None:
    folder = folder_of(tmp_path / "tickets", toml, rows(source="a"))
    (problem,) = validate(folder)
    assert (problem.severity, problem.file) == ("error", str(folder / "sources.toml"))
    assert problem.field == field
    assert found in problem.found
    assert expected in problem.expected
    with pytest.raises(DataError, match=r"sources\.toml"):
        load(folder)


def test_every_fault_is_listed(tmp_path: Path) -> None:
    toml = (
        '[a]\nfamly = "answer"\nunit = "("\nmetric = "exact_mach"\n'
        '[b]\nfamily = "answr"\n[c]\nfamily = 1\n[d]\nunit = "x"'
    )
    folder = folder_of(tmp_path / "tickets", toml)
    problems = validate(folder)
    fields = ["[a] famly", "[a] unit", "[c] family", "[d] family", "[a]", "[b]"]
    assert [problem.field for problem in problems] == fields
    assert "did you mean exact_match" in problems[4].found
    assert "did you mean answer?" in problems[5].found
    for opened in (load, open_dataset):
        with pytest.raises(DataError) as refused:
            opened(folder)
        count = len(problems) if opened is load else 4
        assert str(refused.value).splitlines() == [*map(str, problems[:count])]
    wrong: Any = {"a": {"famly": 1, "unit": "("}, "b": {}, "c": 3}
    wrong |= {"d": Source("d", "S", "answer", unit="(", prompt="Say.")}
    with pytest.raises(UsageError) as python:
        load(rows(source="a"), sources=wrong)
    listed = str(python.value).splitlines()
    assert listed[0].startswith("the source 'a', famly: found an unknown field")
    assert [line.partition(":")[0].rpartition(" ")[2] for line in listed] == [
        *("famly", "family", "unit", "family", "'c'", "unit", "prompt")
    ]
    with pytest.raises(UsageError, match="no metric of the family answer named 'f2'"):
        load(rows(), sources={NAME: {"family": "answer", "metric": "f2"}})


def test_a_row_of_an_unknown_source_says_how_to_declare_it(tmp_path: Path) -> None:
    folder = folder_of(tmp_path / "tickets", None, rows(source="my tickets"))
    first, *others = [p for p in validate(folder) if p.severity == "error"]
    assert first.field == "metadata.source"
    assert first.paste is not None
    assert len(first.paste.splitlines()) == 3
    assert [problem.paste for problem in others] == [None] * 4  # Once is enough.
    with pytest.raises(DataError, match=r'\["my tickets"\]\nfamily = "answer"'):
        list(load(folder).rows())
    (folder / "sources.toml").write_text(first.paste, encoding="utf-8")
    assert validate(folder) == []


@given(st.text(st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp"]), min_size=1, max_size=20))
def test_the_lines_to_paste_declare_any_name(tmp_path_factory: Any, name: str) -> None:
    assume(name.strip() and name not in BY_NAME)  # The benchmark's own cannot be declared.
    file = tmp_path_factory.mktemp("paste") / "sources.toml"
    file.write_text(explain_unknown(name, {})[1], encoding="utf-8")
    assert read_sources(file) == ({name: Source(name, "Own", "answer")}, [])
    source = Source(name, "Own", name, unit="^'\"\\d", prompt="\t\n{question}\x7f")
    file.write_text(write_sources({name: source}), encoding="utf-8")
    assert read_sources(file)[0] == {name: source}


def test_what_may_be_meant_is_warned_of(tmp_path: Path) -> None:
    (problem,) = validate(folder_of(tmp_path / "tickets", DECLARED, rows(4)))
    assert (problem.severity, problem.found) == ("warning", f"4 histories of {NAME}")
    assert problem.expected.startswith("at least 5: with fewer, scores and differences hold for")
    without = [{**row, "metadata": {"source": NAME}} for row in rows()]
    for content in (rows(qa_pair_ids=["q1"]), without):
        problems = validate(folder_of(tmp_path / "tickets", DECLARED, content))
        assert {problem.severity for problem in problems} == {"warning"}
    toml = f'[{NAME}]\nfamily = "answer"\nunit = "^Case"\nprompt = "Say: {{question}}"'
    prompt, *units = validate(folder_of(tmp_path / "tickets", toml))
    assert (prompt.severity, prompt.field) == ("warning", f"[{NAME}] prompt")
    assert [unit.row for unit in units] == [*range(5)]
    assert {(unit.severity, unit.field) for unit in units} == {("warning", "context")}


@pytest.mark.parametrize(
    ("unit", "found"),
    [
        (r"^(?:Ticket|Case) \d+:", None),
        (r"^\[\d{1,2}/\d{1,2}/\d{4}, \d+:\d+(?: [AP]M)?\] ", None),
        (r"(?i)^from: ", None),
        (r"(?=^-{3}$)", None),
        (r"[)]+[]a]+\(+", None),
        (r"^(?P<day>\w+) (?P=day)", None),
        ("(?:a|aa)" * 30 + "[bc]", None),  # Slow, but stopped in time.
        (r"^(Ticket", "unterminated subpattern"),
        ("a" * 1001, "1001 characters"),
        ("x{99999999999}", "repetition number is too large"),
        ("(" * 900, "recursion|unterminated"),
        ("(?R)", "unknown extension"),
        ("x*", "empty text"),
        ("(a+)+$", "repeated group"),
        ("(?:a|a)*b", "repeated group"),
        ("((a{65000}){65000}){65000}", "repeated group"),
        ("(a+)(?#c)+", "repeated group"),
        ("(?x)(a+ # )\n)+", "the flag x"),
        ("(?:Ticket){e<=3}", "without a number"),
    ],
)
def test_a_pattern_that_is_wrong_or_could_take_for_ever_is_refused(
    unit: str, found: str | None
) -> None:
    declared = {"a": {"family": "answer", "unit": unit}}
    if found is None:
        assert read_declared(declared)["a"].unit == unit
    else:
        with pytest.raises(UsageError, match=f"found .*({found}).*; expected a regular expr"):
            read_declared(declared)


@given(st.text("Ticket 12:\n", max_size=200))
def test_matches_are_those_of_the_standard_library(text: str) -> None:
    for unit in (r"^Ticket \d+:", r"^T", r"\d+:", r"(?=T)"):
        expected = [match.start() for match in re.finditer(unit, text, re.MULTILINE)]
        assert find_unit_starts(unit, text) == expected


_ANSWERS = {"family": "answer"}
OWN = f'[{SOURCE}]\nfamily = "answer"\n'


_CHAT: list[dict[str, Any]] = [
    {"text": "I moved to Oslo.", "time": "2024-03-01T09:00Z", "speaker": "Ann", "session": "a"},
    {"text": "Nice!", "time": "2024-03-01T09:00Z", "role": "assistant", "session": "a"},
    {"text": "Now I live in Rome.", "id": "last", "user": "ann", "speaker": None},
]


def chat(context: object, **more: object) -> mabench.data.Dataset:
    asked = {"questions": ["Where?"], "answers": [["Rome"]], "metadata": {"source": SOURCE}}
    return mabench.load([{"context": context, **asked, **more}], sources={SOURCE: _ANSWERS})


def fields() -> dict[str, Any]:
    """Return the content of a row that uses all that a conversation can have."""
    dates = {"question_dates": ["2024-05-09T10:00Z", "2024-05-10T10:00+02:00"]}
    points, users = ["t1", "2024-05-03"], ["house-7", None]
    pairs = [("Which code?", "M902"), ("Which colour?", "blue")]
    row = talk(turns(), pairs, metadata=dates, asked_after=points, asked_by=users)
    return row.model_dump(exclude={"index"})


_ZONED = "a time with its zone, such as 2024-05-03T10:00"
_TURN = "the id of one of the row's `turns`, or"
_ORDER = "list turns in the order in which they occur there"
_NO_TIMES = [{k: v for k, v in turn.items() if k != "time"} for turn in fields()["turns"]]


# What is put at a place of a row, or dropped there; where a fault is named, and what is expected.
@pytest.mark.parametrize(
    ("path", "value", "place", "expected"),
    [
        ("turns[1].time", "2024-05-02T10:00", None, _ZONED),
        ("turns[1].time", 3, None, "a string"),
        ("turns[2].time", "2024-05-01T09:00Z", None, "no time before that of turns[1]: list turns"),
        ("turns", fields()["turns"][::-1], "turns[1].start", _ORDER),
        ("turns[3].end", 9999, "turns[3].start", "characters"),
        ("metadata.question_dates[0]", "2024-05-09T10:00", None, _ZONED),
        ("asked_by[1]", "house-8", None, "one of house-7, or null"),
        ("asked_after[0]", "t9", None, _TURN),
        ("asked_after[1]", "2024-05-03T10:00", None, "a day or a time with its zone"),
        ("turns", _NO_TIMES, "asked_after[1]", "where these have times"),
        ("turns", DROP, "asked_after[0]", _TURN),
        ("asked_after[1]", DROP, "asked_after", "2, one for each of the questions"),
    ],
)
def test_a_fault_names_file_row_field_and_remedy_and_nothing_runs(
    tmp_path: Path, path: str, value: object, place: str | None, expected: str
) -> None:
    good, bad = fields(), fields()
    bad["metadata"]["qa_pair_ids"] = ["b0", "b1"]
    corrupt(bad, path, value)
    file = folder_of(tmp_path, OWN, [good, bad]) / "t.jsonl"
    errors = [one for one in validate(file) if one.severity == "error"]
    (error, *_) = [one for one in errors if one.field == (place or path)]
    assert str(error).startswith(f"{file}, row 1, {place or path}: found ")
    assert place or describe(value) in error.found
    assert expected in error.expected
    assert {one.row for one in errors} == {1}
    with pytest.raises(DataError, match=r"t\.jsonl, row 1"):
        mabench.run("bm25", file, protocol="turns", out=tmp_path / "run")


def test_a_fault_names_many_users_in_short() -> None:
    turns = [{"text": "Hi", "user": f"{number}" * 100} for number in range(100)]
    with pytest.raises(DataError, match=r"asked_by\[0\]: found 'nobody'") as refused:
        [*chat(turns, asked_by=["nobody"])]
    assert len(str(refused.value)) < 1000


def test_a_source_may_say_the_zone_of_all_its_times_once(tmp_path: Path) -> None:
    naive = ["2024-05-03T10:00", "2024-05-03T10:01", "2024-05-03T12:00+00:00"]
    said = [{"id": "t1", "text": "Here.", "time": naive[0]}]
    said += [{"text": "There.", "time": time} for time in naive[1:]]
    metadata = {"source": "talks", "question_dates": ["2024-05-04T09:00", "2024-05-05"]}
    asked = {"questions": ["Where?", "When?"], "answers": [["Here"], ["Then"]]}
    row = {"context": said, **asked, "metadata": metadata, "asked_after": ["t1", naive[1]]}
    declared = '[talks]\nfamily = "answer"\n'
    count, remedy = "times in 2 rows, first in", 'timezone = "Europe/Berlin" in sources.toml'
    bare = folder_of(tmp_path / "bare", declared, [row, {**row, "asked_after": ["t1", None]}])
    with pytest.raises(DataError, match=f"^4 {count} .*row 0, turns.0..time: .*{remedy}"):
        [*load(bare).rows()]
    zoned = folder_of(tmp_path / "zoned", f'{declared}timezone = "Europe/Berlin"\n', [row])
    assert not [one for one in validate(zoned) if one.severity == "error"]
    (read,) = load(zoned).rows()
    berlin = [f"{time}:00+02:00" for time in naive[:2]]
    assert [turn.time for turn in read.turns or ()] == [*berlin, naive[2]]
    assert read.asked_after == ["t1", berlin[1]]
    dates = ["2024-05-04T09:00:00+02:00", "2024-05-05T00:00:00+02:00"]
    assert read.metadata["question_dates"] == dates
    with pytest.raises(UsageError, match=r"timezone: .*did you mean Europe/Berlin"):
        load([row], sources={"talks": {"family": "answer", "timezone": "Europe/Berln"}})


def test_sources_may_ask_that_rows_say_up_to_where_questions_know(tmp_path: Path) -> None:
    for kind, points, faulty in (
        ("turn", ["t1", "t2"], []),
        ("turn", ["t1", "2024-05-03"], [1]),
        ("time", ["2024-05-02", "2024-05-03T10:00Z"], []),
        ("time", ["t1", None], [0, 1]),
        ("turn", None, [0, 1]),
    ):
        row = {**fields(), "asked_after": points}
        path = folder_of(tmp_path, f'{OWN}asked_after = "{kind}"\n', [row])
        errors = [one for one in validate(path) if one.severity == "error"]
        assert [one.field for one in errors] == [f"asked_after[{i}]" for i in faulty]
        assert all("as sources.toml says" in one.expected for one in errors)
    with pytest.raises(UsageError, match="asked_after: found 'always'; expected turn or time"):
        mabench.load([fields()], sources={SOURCE: {**_ANSWERS, "asked_after": "always"}})


def test_turns_and_points_survive_every_form(tmp_path: Path) -> None:
    path = folder_of(tmp_path / "talks", f'{OWN}asked_after = "time"\n', [fields()])
    first = mabench.load(path)
    export_hub_layout(first, tmp_path / "hub")
    again = mabench.load(tmp_path / "hub")
    assert [row.model_dump() for row in again.rows()] == [row.model_dump() for row in first.rows()]
    assert again.fingerprint == first.fingerprint
    assert again.sources[SOURCE] == first.sources[SOURCE]
    export_questions(first, tmp_path / "questions.jsonl")
    asked = [json.loads(line) for line in (tmp_path / "questions.jsonl").open(encoding="utf-8")]
    assert [one.get("asked_after") for one in asked] == ["t1", "2024-05-03"]
    assert [one.get("asked_by") for one in asked] == ["house-7", None]
    shown = command("data", "show", str(path), "--source", SOURCE, "--question", "0", cwd=tmp_path)
    assert "Asked after: t1" in shown.stdout
    cut = command("data", "chunks", str(path), "--protocol", "turns", cwd=tmp_path)
    assert cut.stdout.startswith(f"Own row 0 {SOURCE}: 4 turns, protocol turns")


def test_turns_become_text_and_keep_what_is_known_of_them() -> None:
    (row,) = chat(_CHAT, evidence=[["last"]]).rows()
    lines = "[2024-03-01T09:00Z]\nAnn: I moved to Oslo.\nassistant: Nice!\n\nNow I live in Rome.\n"
    assert row.context == lines
    assert [turn.id for turn in row.turns or ()] == ["1", "2", "last"]
    messages = Message.of_row(row) or []
    assert [message.text for message in messages] == [turn["text"] for turn in _CHAT]
    assert [message.fields.get("speaker") for message in messages] == ["Ann", None, None]
    assert [message.fields.get("user") for message in messages] == [None, None, "ann"]


def test_what_is_no_turn_is_named() -> None:
    wrong: dict[str, list[Any]] = {
        "context": [],
        r"context\[0\]": ["Hello.", {"text": "Hi."}],
        "a `text`": [{"speaker": "Ann"}],
        r"context\[0\].text": [{"text": 7}],
        r"context\[0\].date": [{"text": "Hi.", "date": "2024-03-01"}],
        r"turns\[0\].time": [{"text": "Hi.", "time": "2024-03-01T09:00"}],
    }
    for fault, context in wrong.items():
        with pytest.raises(DataError, match=fault):
            list(chat(context).rows())
