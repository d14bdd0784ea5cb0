"""`mabench data questions`: at the terminal, in a sheet, out of tickets, or drafted by a model."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from mabench.cli import console as con
from mabench.cli import options as opt
from mabench.errors import UsageError
from mabench.printable import printable, write_count
from mabench.specs import DraftSpec

if TYPE_CHECKING:
    from mabench.data.sheets import SheetLine
    from mabench.questioning import SaidTurn, Sheet

_KINDS = ("csv", "json")
_LONGEST_SHOWN = 160  # Characters of a turn in a list.
_MENU = "[a]dd a question  [r]eview drafts  [q]uit: "
_REVIEW = "[a]ccept  [e]dit  [r]eject  [s]kip  [q]uit: "


@opt.command("data questions", DraftSpec, without=("temperature", "model_seed", "window"))
def _questions(
    folder: Path,
    spec: DraftSpec,
    sheet_kind: str | None = None,
    from_tickets: bool = False,
    layout: str = "table",
    quiet: bool = False,
) -> None:
    from mabench.questioning import Sheet

    if sheet_kind not in (None, *_KINDS):
        raise UsageError(f"--as: {sheet_kind} is no kind of sheet; choose csv or json")
    if spec.drafts is None and spec.model is not None:
        raise UsageError("--model drafts questions: say how many with --draft")
    _check_conversations(folder)
    sheet = Sheet.open(folder, sheet_kind or "csv")
    if from_tickets:
        _add_tickets(folder, sheet)
    if spec.drafts is not None:
        _draft(folder, spec, quiet)
        sheet = Sheet.open(folder)
    if layout != "table":
        _print_sheet(sheet, layout)
        return
    is_asked_for = from_tickets or spec.drafts is not None or sheet_kind is not None
    if not is_asked_for and sys.stdin.isatty():
        _work_at_terminal(folder, sheet)
    _print_standing(folder, sheet, quiet)


def _check_conversations(folder: Path) -> None:
    from mabench.questioning import read_conversations

    next(read_conversations(folder), None)


def _add_tickets(folder: Path, sheet: Sheet) -> None:
    from mabench.questioning import find_tickets, read_conversations

    known = {(line.history, line.question) for line in sheet.lines}
    found = [
        line for conversation in read_conversations(folder) for line in find_tickets(conversation)
    ]
    new = [line for line in found if (line.history, line.question) not in known]
    sheet.lines += new
    sheet.save()
    con.print_line(
        f"{write_count(len(new), 'draft')} of what was asked later and could be known; "
        f"{len(found) - len(new)} more were in the sheet."
    )


def _draft(folder: Path, spec: DraftSpec, quiet: bool) -> None:
    from mabench.questioning import draft_questions

    if spec.drafts is None or spec.model is None:
        raise UsageError("--draft: name the model that drafts with --model")
    with con.ProgressBars(quiet) as bars:
        drafting = draft_questions(
            folder, spec.drafts, spec.model, max_cost=spec.max_cost, progress=bars
        )
    cost = "" if drafting.dollars is None else f", for ${drafting.dollars:.4f}"
    con.print_line(f"{write_count(drafting.drafted, 'draft')} of {spec.drafts}{cost}.")
    for fault, number in drafting.left_out.most_common():
        con.print_line(f"  left out: {number} with {fault}")


def _print_sheet(sheet: Sheet, layout: str) -> None:
    from mabench.reports.own_data.sheets import sheet_table

    content = [{**asdict(line), "status": line.status.value} for line in sheet.lines]
    con.print_tables([sheet_table(sheet.lines)], content, layout)


def _print_standing(folder: Path, sheet: Sheet, quiet: bool) -> None:
    from mabench.questioning import read_conversations

    if quiet:
        con.print_written(sheet.file, quiet)
        return
    now = sheet.count_questions(read_conversations(folder))
    con.print_line(
        f"{sheet.file}: {now.accepted} accepted, {write_count(now.drafts, 'draft')}, "
        f"{now.rejected} rejected; {now.unasked} of {write_count(now.histories, 'history')} "
        "without a question."
    )
    if now.accepted:
        con.messages().print(
            f"With {write_count(now.accepted, 'question')}, a score of 50 may be "
            f"{now.margin:.0f} points off for other questions like these; `mabench plan RUN` says "
            "how many tell two memories apart."
        )
        con.messages().print(f"To run it: {con.command_line('run', 'bm25', '--data', folder)}")
    else:
        again = con.command_line("data", "questions", folder)
        con.messages().print(
            f"Write them in the sheet with any spreadsheet or editor, or at the terminal: {again}"
        )


def _work_at_terminal(folder: Path, sheet: Sheet) -> None:
    """Add questions and decide on drafts until the user quits; every change is saved at once."""
    try:
        while (key := _key(_MENU)) != "q":
            if key == "a":
                _add(folder, sheet)
            elif key == "r":
                _review(folder, sheet)
    except (EOFError, KeyboardInterrupt):
        con.print_line("")  # What was decided is saved.


def _add(folder: Path, sheet: Sheet) -> None:
    from mabench.data.sheets import SheetLine
    from mabench.questioning import read_conversations

    question = _line("Question (empty: back): ")
    if not question:
        return
    golds = tuple(filter(None, (one.strip() for one in _line("Answer, or A | B: ").split("|"))))
    if not golds:
        con.print_line("Without an answer nothing can be scored; not added.")
        return
    supports = _choose_turns(folder)
    if supports:
        history = supports[0].id.rpartition("-")[0]
    else:
        names = [conversation.id for conversation in read_conversations(folder)]
        shown = ", ".join(names[:20])
        history = names[0] if len(names) == 1 else _line(f"History ({shown}): ")
        if history not in names:
            con.print_line(f"There is no history {history!r}; not added.")
            return
    after = _line("Asked after which turn, day or time (empty: the end): ") or None
    sheet.add(
        SheetLine(
            history=history,
            question=question,
            answers=golds,
            supports=tuple(turn.id for turn in supports),
            asked_after=after,
        )
    )
    con.print_line("Saved.")


def _choose_turns(folder: Path) -> list[SaidTurn]:
    """Let the user find turns by their words, and choose those that support an answer."""
    from mabench.questioning import find_turns

    chosen: list[SaidTurn] = []
    found: Sequence[SaidTurn] = ()
    while said := _line("Words of a turn that supports it, or numbers (empty: enough): "):
        numbers = [int(word) for word in said.split() if word.isascii() and word.isdecimal()]
        if found and numbers and all(1 <= number <= len(found) for number in numbers):
            new = [found[number - 1] for number in numbers]
            history = (chosen or new)[0].id.rpartition("-")[0]
            chosen += [turn for turn in new if turn.id.rpartition("-")[0] == history]
            con.print_line(f"Chosen: {' '.join(turn.id for turn in chosen)}")
            continue
        found = find_turns(folder, said)
        for number, turn in enumerate(found, start=1):
            con.print_line(f"  {number}  {str(turn)[:_LONGEST_SHOWN]}")
        if not found:
            con.print_line("  No turn has these words.")
    return chosen


def _review(folder: Path, sheet: Sheet) -> None:
    """Show every draft with the turns that support it, and do as the user decides."""
    from mabench.data.sheets import QuestionStatus

    drafts = sheet.drafts()
    for done, number in enumerate(drafts):
        _show_draft(folder, sheet.lines[number], f"{done + 1} of {len(drafts)}")
        key = _key(_REVIEW)
        if key == "a":
            sheet.decide(number, QuestionStatus.ACCEPTED)
        elif key == "r":
            sheet.decide(number, QuestionStatus.REJECTED)
        elif key == "e":
            line = sheet.lines[number]
            question = _line(f"Question (empty: {line.question}): ") or line.question
            given = _line(f"Answer (empty: {' | '.join(line.answers)}): ")
            golds = tuple(filter(None, (one.strip() for one in given.split("|"))))
            sheet.edit(number, question, golds or line.answers)
        elif key == "q":
            return
    con.print_line("No more drafts.")


def _show_draft(folder: Path, line: SheetLine, place: str) -> None:
    from mabench.questioning import read_conversations

    con.print_line(f"\nDraft {place}, {line.kind or 'no kind'}, of {line.history}")
    con.print_line(f"  Q: {line.question}\n  A: {' | '.join(line.answers)}")
    for conversation in read_conversations(folder):
        for turn in conversation.turns if conversation.id == line.history else ():
            if turn.id in line.supports:
                con.print_line(f"  {str(turn)[:_LONGEST_SHOWN]}")
    if line.note:
        con.print_line(f"  ({line.note})")


def _line(prompt: str) -> str:
    """Return a line that the user types."""
    return input(printable(prompt)).strip()


def _key(prompt: str) -> str:
    """Return the one key that the user presses, without waiting for the end of a line."""
    import termios
    import tty

    descriptor = sys.stdin.fileno()
    before = termios.tcgetattr(descriptor)
    try:
        tty.setcbreak(descriptor, termios.TCSANOW)  # What was typed ahead is kept.
        print(prompt, end="", flush=True)
        key = os.read(descriptor, 1).decode("ascii", "replace")
    finally:
        termios.tcsetattr(descriptor, termios.TCSADRAIN, before)
    print(printable(key))
    if not key or key == "\x04":
        raise EOFError
    return key.lower()
