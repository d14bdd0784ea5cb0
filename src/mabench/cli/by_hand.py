"""Lets a person judge answers: in the terminal, with one key for each verdict, or in a sheet.

A sheet is a CSV file that the person fills. No score is shown, so that it sways nobody.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from mabench.cli import console as con
from mabench.errors import UsageError
from mabench.printable import printable, write_count

if TYPE_CHECKING:
    from mabench.results import DrawnAnswer, Key, Mark, RunFolder, ScoredQuestion

_UNDO_KEY, _STOP_KEY = "u", "q"
_LONGEST_SHOWN = 4_000  # Characters of an answer or a passage.


def judge_by_hand(
    runs: Sequence[Path], count: int, name: str, sheet: Path | None, marked: Sequence[Path] = ()
) -> None:
    """Ask a person for verdicts on a random sample of the answers of a run, or of two.

    Args:
        runs: the folder of a run, or those of two runs whose answers are judged in pairs.
        count: how many answers are drawn, or pairs.
        name: the person's name, under which the verdicts are stored.
        sheet: the CSV file to use instead of the terminal: it is written if there is none yet, else
            its verdicts are read. None for the terminal.
        marked: runs or files whose marks of golds count beside those of the runs.
    """
    from mabench.results import (
        draw_answers,
        draw_pairs,
        marks_on,
        open_for_judging,
        summarize_again,
    )

    if count < 1:
        raise UsageError("--by-hand takes a number of answers, at least 1")
    folders = [open_for_judging(run) for run in runs]
    with ExitStack() as stack:
        for folder in folders:
            stack.enter_context(folder.own())  # No other command may write to it meanwhile.
        if len(folders) == 1:
            drawn = draw_answers(folders[0], count, name)
        else:
            drawn = draw_pairs(folders[0], folders[1], count, name)
        marks = marks_on(drawn, marked)
        if sheet is not None:
            _use_sheet(drawn, name, sheet, marks)
        else:
            _ask_in_terminal(drawn, name, marks)
        for folder in folders:
            summarize_again(folder)


def _use_sheet(
    drawn: Sequence[DrawnAnswer], name: str, sheet: Path, marks: Mapping[int, Sequence[Mark]]
) -> None:
    """Write the drawn answers to a sheet if there is none yet; else store its verdicts.

    ``marks`` are what people said of answers, by the numbers of the answers.
    """
    from mabench.results import read_sheet, store_verdict, write_sheet

    if not sheet.exists():
        remarks = {
            number: "; ".join(_remarks_on_gold(of_answer)) for number, of_answer in marks.items()
        }
        write_sheet(drawn, sheet, remarks)
        con.messages().print(
            f"{write_count(len(drawn), 'answer')} written to {sheet}. Fill its last column with "
            "right, half, wrong or cannot tell; the same command reads it."
        )
        return
    verdicts = read_sheet(drawn, sheet)  # By the numbers of the answers; empty cells are left out.
    stored, left = 0, 0
    for answer in drawn:
        verdict = verdicts.get(answer.number, answer.verdict)
        if verdict is None:
            left += 1
        elif verdict is not answer.verdict:
            store_verdict(answer, name, verdict)
            stored += 1
    con.print_line(
        f"{write_count(stored, 'verdict')} of {name} stored, {len(drawn)} drawn, {left} left."
    )


def _ask_in_terminal(
    drawn: Sequence[DrawnAnswer], name: str, marks: Mapping[int, Sequence[Mark]]
) -> None:
    """Show the answers without a verdict one by one, until all have one or the person stops.

    ``marks`` are what people said of answers, by the numbers of the answers.
    """
    from mabench.results import HandVerdict, store_verdict

    verdicts_by_key = {verdict.value[0]: verdict for verdict in HandVerdict}
    keys = (*verdicts_by_key, _UNDO_KEY, _STOP_KEY)
    answers = list(drawn)
    passages = _find_gold_passages([answer for answer in answers if answer.verdict is None])
    judged: list[int] = []  # The indices of the answers that were judged now, to undo the latest.
    index = _next_without_verdict(answers, start=0)
    while index is not None:
        answer = answers[index]
        remarks = _remarks_on_gold(marks.get(answer.number, ()))
        _show(answer, len(answers), passages.get(answer.number), remarks)
        key = _read_key(keys)
        if key == _STOP_KEY:
            break
        if key == _UNDO_KEY:
            if judged:
                index = judged.pop()  # It is shown again, and the next verdict on it counts.
            continue
        verdict = verdicts_by_key[key]
        answers[index] = store_verdict(answer, name, verdict)
        con.print_line(f"-> {verdict.value}\n")
        judged.append(index)
        index = _next_without_verdict(answers, start=index)
    done = sum(answer.verdict is not None for answer in answers)
    con.print_line(f"{name}: {done} of {len(answers)} answers judged; the same command goes on.")
    if done == len(answers) and marks:  # Only now: it could give a score away.
        con.print_line(f"Answers with marks that people made: {len(marks)}.")


def _remarks_on_gold(marks: Sequence[Mark]) -> list[str]:
    """Return sentences about the marks that call a gold wrong.

    Marks that call a verdict wrong are left out: they would give the score away.
    """
    from mabench.results import MarkKind

    remarks = []
    for mark in marks:
        if mark.mark == MarkKind.GOLD_WRONG:
            day = f" ({mark.date[:10]})" if mark.date else ""
            note = f": {mark.note}" if mark.note else ""
            remarks.append(f"the gold is wrong{day}{note}")
    return remarks


def _next_without_verdict(answers: Sequence[DrawnAnswer], start: int) -> int | None:
    """Return the index of the first answer without a verdict from ``start`` on.

    After the last answer the search goes on with the first. Return None if all have verdicts.
    """
    indices: list[int] = [*range(start, len(answers)), *range(start)]
    for index in indices:
        if answers[index].verdict is None:
            return index
    return None


def _show(answer: DrawnAnswer, total: int, passage: str | None, remarks: Sequence[str]) -> None:
    """Print an answer with all that a person needs to judge it.

    Args:
        answer: the answer.
        total: how many answers were drawn.
        passage: where the history says the gold; empty if nowhere, None if that is not known.
        remarks: what people said of the gold.
    """
    sample = answer.sample
    con.print_line(f"{answer.number} of {total}")
    con.print_line(f"Question: {printable(sample.question)}")
    con.print_line(f"Golds: {printable(' | '.join(sample.answers))}")
    for remark in remarks:
        con.print_line(f"Somebody says: {printable(remark)}")
    if passage is None:
        con.print_line("Evidence: not looked at, since the data are not there.")
    elif passage:
        con.print_line(f"Evidence: {printable(passage[:_LONGEST_SHOWN])}")
    con.print_line(f"Answer: {printable((sample.prediction or '')[:_LONGEST_SHOWN])}")


def _read_key(keys: Sequence[str]) -> str:
    """Wait until one of ``keys`` is pressed, and return it.

    After Ctrl-C and at the end of the input, return the key that stops.
    """
    import typer

    con.print_line("[r]ight  [h]alf  [w]rong  [c]annot tell  [u]ndo  [q]uit")
    while True:
        try:
            key = typer.getchar().lower()
        except (EOFError, KeyboardInterrupt):
            return _STOP_KEY
        if not key:  # The input has ended.
            return _STOP_KEY
        if key in keys:
            return key


def _find_gold_passages(drawn: Sequence[DrawnAnswer]) -> dict[int, str]:
    """Return a passage of the history that says the gold, by the number of the answer.

    The text is empty if no passage does. An answer is left out if its data set cannot be read.
    """
    from mabench.inspection import look_up
    from mabench.results import Run

    # By the run and the question, the number of the answer.
    by_folder: defaultdict[RunFolder, dict[Key, int]] = defaultdict(dict)
    for answer in drawn:
        by_folder[answer.folders[0]][answer.sample.key] = answer.number
    passages: dict[int, str] = {}
    for folder, numbers in by_folder.items():
        run = Run(folder.path)
        questions = [question for question in run.questions() if question.key in numbers]
        for question in look_up(run, questions, prompts=False):
            if question.background.without is None:
                passages[numbers[question.key]] = _first_gold_passage(question)
    return passages


def _first_gold_passage(question: ScoredQuestion) -> str:
    """Return the first passage of the history that says the gold; empty if there is none."""
    for place in question.background.golds or ():
        if place.text is not None:
            return " ".join(place.text.split())
    return ""
