import json
import unicodedata
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

import mabench
from mabench.printable import printable, printable_json
from mabench.reports.layout import Report, show_reports
from mabench.reports.tables import Column, tabulate
from tests.command_line import mabench as command
from tests.printing import print_on
from tests.rows import dataset
from tests.runs.agents import Oslo

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
    mabench.run(Evil, dataset(), out=tmp_path / "run", limit_questions=1)
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
        done = command(*arguments, cwd=tmp_path)
        printed = done.stdout + done.stderr
        assert printed
        assert unfit(printed) == [], arguments
