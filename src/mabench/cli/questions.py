"""`mabench data questions`: makes questions about imported conversations.

A person writes them at the terminal or in a sheet, which is a CSV or JSON file. Or they are
drafted, out of support tickets or by a model, and a person decides on the drafts.

The parameters of the command are its options, which ``commands.toml`` describes. ``layout`` is the
format of what is printed: "table" on a terminal, else a format of files.
"""

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

_SHEET_KINDS = ("csv", "json")
_LONGEST_SHOWN = 160  # Characters of a turn in a list.
_MOST_HISTORIES_SHOWN = 20  # Names of histories in a prompt.
_MENU = "[a]dd a question  [r]eview drafts  [q]uit: "
_REVIEW_MENU = "[a]ccept  [e]dit  [r]eject  [s]kip  [q]uit: "
_END_OF_INPUT = "\x04"  # What a terminal sends for Ctrl-D.


@opt.command("data questions", DraftSpec, without=("temperature", "model_seed", "window"))
def _questions(
    folder: Path,
    spec: DraftSpec,
    sheet_kind: str | None = None,
    from_tickets: bool = False,
    layout: str = "table",
    quiet: bool = False,
) -> None:
    """Do what the options ask for; without any, let the user work at the terminal."""
    from mabench.questioning import Sheet

    if sheet_kind not in (None, *_SHEET_KINDS):
        raise UsageError(f"--as: {sheet_kind} is no kind of sheet; choose csv or json")
    if spec.drafts is None and spec.model is not None:
        raise UsageError("--model drafts questions: say how many with --draft")
    _check_conversations(folder)
    sheet = Sheet.open(folder, sheet_kind or "csv")
    if from_tickets:
        _add_drafts_of_tickets(folder, sheet)
    if spec.drafts is not None:
        _draft_by_model(folder, spec, quiet)
        sheet = Sheet.open(folder)  # Read again, because it has the drafts now.
    if layout != "table":
        _print_sheet(sheet, layout)
        return
    has_done_something = from_tickets or spec.drafts is not None or sheet_kind is not None
    if not has_done_something and sys.stdin.isatty():
        _work_at_terminal(folder, sheet)
    _print_counts(folder, sheet, quiet)


def _check_conversations(folder: Path) -> None:
    """Raise ``UsageError`` if a folder holds no conversations: reading the first one does so."""
    from mabench.questioning import read_conversations

    next(read_conversations(folder), None)


def _add_drafts_of_tickets(folder: Path, sheet: Sheet) -> None:
    """Add to the sheet, as drafts, questions of users that an earlier ticket answers.

    Questions about a history that the sheet has already are not added again.
    """
    from mabench.questioning import find_tickets, read_conversations

    in_sheet = {(line.history, line.question) for line in sheet.lines}
    drafts = [
        line for conversation in read_conversations(folder) for line in find_tickets(conversation)
    ]
    new = [line for line in drafts if (line.history, line.question) not in in_sheet]
    sheet.lines += new
    sheet.save()
    con.print_line(
        f"{write_count(len(new), 'draft')} of what was asked later and could be known; "
        f"{len(drafts) - len(new)} more were in the sheet."
    )


def _draft_by_model(folder: Path, spec: DraftSpec, quiet: bool) -> None:
    """Let a model draft questions into the sheet; print how many, and why others were left out."""
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
    """Print all lines of the sheet, in a layout for files."""
    from mabench.reports.own_data.sheets import sheet_table

    content = [{**asdict(line), "status": line.status.value} for line in sheet.lines]
    con.print_tables([sheet_table(sheet.lines)], content, layout)


def _print_counts(folder: Path, sheet: Sheet, quiet: bool) -> None:
    """Print how many questions there are, how exact scores of them will be, and what to do next.

    If ``quiet``, print only where the sheet is.
    """
    from mabench.questioning import read_conversations

    if quiet:
        con.print_written(sheet.file, quiet)
        return
    counts = sheet.count_questions(read_conversations(folder))
    con.print_line(
        f"{sheet.file}: {counts.accepted} accepted, {write_count(counts.drafts, 'draft')}, "
        f"{counts.rejected} rejected; {counts.unasked} of "
        f"{write_count(counts.histories, 'history')} without a question."
    )
    if counts.accepted:
        con.messages().print(
            f"With {write_count(counts.accepted, 'question')}, a score of 50 may be "
            f"{counts.margin:.0f} points off for other questions like these; `mabench plan RUN` "
            "says how many tell two memories apart."
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
        while True:
            key = _ask_for_key(_MENU)
            if key == "a":
                _add_question(folder, sheet)
            elif key == "r":
                _review_drafts(folder, sheet)
            elif key == "q":
                return
    except (EOFError, KeyboardInterrupt):  # Ctrl-D or Ctrl-C quits, too.
        con.print_line("")  # Ends the line of the prompt.


def _add_question(folder: Path, sheet: Sheet) -> None:
    """Ask the user for a question, its golds, its support and its time, and save it."""
    from mabench.data.sheets import SheetLine

    question = _ask_for_line("Question (empty: back): ")
    if not question:
        return
    golds = _split_golds(_ask_for_line("Answer, or A | B: "))
    if not golds:
        con.print_line("Without an answer nothing can be scored; not added.")
        return
    supports = _choose_turns(folder)
    history = supports[0].history if supports else _choose_history(folder)
    if history is None:
        return
    asked_after = _ask_for_line("Asked after which turn, day or time (empty: the end): ")
    sheet.add(
        SheetLine(
            history=history,
            question=question,
            answers=golds,
            supports=tuple(turn.id for turn in supports),
            asked_after=asked_after or None,
        )
    )
    con.print_line("Saved.")


def _split_golds(text: str) -> tuple[str, ...]:
    """Return the golds that a user writes with "|" between them; empty ones are left out."""
    golds = (gold.strip() for gold in text.split("|"))
    return tuple(gold for gold in golds if gold)


def _choose_history(folder: Path) -> str | None:
    """Return the name of the history that the user types, or that of the only one.

    Return None, after a message, if there is no such history.
    """
    from mabench.questioning import read_conversations

    names = [conversation.id for conversation in read_conversations(folder)]
    if len(names) == 1:
        return names[0]
    shown = ", ".join(names[:_MOST_HISTORIES_SHOWN])
    history = _ask_for_line(f"History ({shown}): ")
    if history not in names:
        con.print_line(f"There is no history {history!r}; not added.")
        return None
    return history


def _choose_turns(folder: Path) -> list[SaidTurn]:
    """Let the user find turns by their words, and choose those that support an answer.

    The user types words, sees numbered turns that hold them, and types the numbers of some, as
    often as wanted. All turns that are returned are of one history: that of the first chosen.
    """
    from mabench.questioning import find_turns

    chosen: list[SaidTurn] = []
    listed: Sequence[SaidTurn] = ()  # The turns that were shown last, numbered from 1.
    while True:
        typed = _ask_for_line("Words of a turn that supports it, or numbers (empty: enough): ")
        if not typed:
            return chosen
        numbers = [int(word) for word in typed.split() if word.isascii() and word.isdecimal()]
        are_listed = bool(numbers) and all(1 <= number <= len(listed) for number in numbers)
        if are_listed:
            new = [listed[number - 1] for number in numbers]
            history = chosen[0].history if chosen else new[0].history
            chosen += [turn for turn in new if turn.history == history]
            con.print_line(f"Chosen: {' '.join(turn.id for turn in chosen)}")
        else:  # They are words to look for.
            listed = find_turns(folder, typed)
            for number, turn in enumerate(listed, start=1):
                con.print_line(f"  {number}  {str(turn)[:_LONGEST_SHOWN]}")
            if not listed:
                con.print_line("  No turn has these words.")


def _review_drafts(folder: Path, sheet: Sheet) -> None:
    """Show every draft with the turns that support it, and do as the user decides."""
    from mabench.data.sheets import QuestionStatus

    indices = sheet.draft_indices()
    for number, index in enumerate(indices, start=1):
        _show_draft(folder, sheet.lines[index], f"{number} of {len(indices)}")
        key = _ask_for_key(_REVIEW_MENU)
        if key == "a":
            sheet.decide(index, QuestionStatus.ACCEPTED)
        elif key == "r":
            sheet.decide(index, QuestionStatus.REJECTED)
        elif key == "e":
            _edit_draft(sheet, index)
        elif key == "q":
            return
    con.print_line("No more drafts.")


def _edit_draft(sheet: Sheet, index: int) -> None:
    """Ask for other words of a draft, and accept it with them; an empty line changes nothing."""
    line = sheet.lines[index]
    question = _ask_for_line(f"Question (empty: {line.question}): ")
    golds = _split_golds(_ask_for_line(f"Answer (empty: {' | '.join(line.answers)}): "))
    sheet.edit(index, question or line.question, golds or line.answers)


def _show_draft(folder: Path, line: SheetLine, place: str) -> None:
    """Print a draft, the turns that support it, and its note.

    ``place`` says which of the drafts it is, such as "2 of 5".
    """
    from mabench.questioning import read_conversations

    con.print_line(f"\nDraft {place}, {line.kind or 'no kind'}, of {line.history}")
    con.print_line(f"  Q: {line.question}\n  A: {' | '.join(line.answers)}")
    for conversation in read_conversations(folder):
        if conversation.id != line.history:
            continue
        for turn in conversation.turns:
            if turn.id in line.supports:
                con.print_line(f"  {str(turn)[:_LONGEST_SHOWN]}")
    if line.note:
        con.print_line(f"  ({line.note})")


def _ask_for_line(prompt: str) -> str:
    """Return the line that the user types, without spaces around it."""
    return input(printable(prompt)).strip()


def _ask_for_key(prompt: str) -> str:
    """Return the key that the user presses, in lower case, without waiting for the end of a line.

    Raises:
        EOFError: when the input ends.
    """
    import termios
    import tty

    descriptor = sys.stdin.fileno()
    settings = termios.tcgetattr(descriptor)
    try:
        # The terminal passes each key on at once. With TCSANOW, what was typed ahead is kept.
        tty.setcbreak(descriptor, termios.TCSANOW)
        print(prompt, end="", flush=True)
        key = os.read(descriptor, 1).decode("ascii", "replace")
    finally:
        termios.tcsetattr(descriptor, termios.TCSADRAIN, settings)
    print(printable(key))
    if key in ("", _END_OF_INPUT):
        raise EOFError
    return key.lower()
