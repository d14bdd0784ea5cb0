"""Judging answers by hand in the terminal: one answer at a time, one key a verdict."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from mabench.cli import console as con
from mabench.errors import UsageError
from mabench.printable import printable, write_count

if TYPE_CHECKING:
    from mabench.results import DrawnAnswer, Mark, ScoredQuestion

_UNDO, _STOP = "u", "q"
_LONGEST = 4_000  # Characters of an answer or a passage that are shown.


def judge_by_hand(
    runs: Sequence[Path], count: int, name: str, sheet: Path | None, marked: Sequence[Path] = ()
) -> None:
    """Ask a person for verdicts on a random sample of the answers of a run, or of two.

    With a ``sheet``, nothing is asked: a new one is written, and one that is there is read.
    ``marked`` are runs or files whose marks count beside those of the runs.
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
            stack.enter_context(folder.own())
        if len(folders) == 1:
            drawn = draw_answers(folders[0], count, name)
        else:
            drawn = draw_pairs(folders[0], folders[1], count, name)
        marks = marks_on(drawn, marked)
        if sheet is not None:
            _use_sheet(drawn, name, sheet, marks)
        else:
            _ask_for_all(drawn, name, marks)
        for folder in folders:
            summarize_again(folder)


def _use_sheet(
    drawn: Sequence[DrawnAnswer], name: str, sheet: Path, marks: Mapping[int, Sequence[Mark]]
) -> None:
    from mabench.results import read_sheet, store_verdict, write_sheet

    if not sheet.exists():
        said = {number: "; ".join(_said_of_golds(of)) for number, of in marks.items()}
        write_sheet(drawn, sheet, said)
        con.messages().print(
            f"{write_count(len(drawn), 'answer')} written to {sheet}. Fill its last column with "
            "right, half, wrong or cannot tell; the same command reads it."
        )
        return
    verdicts = read_sheet(drawn, sheet)
    changed = [one for one in drawn if verdicts.get(one.number, one.verdict) is not one.verdict]
    for one in changed:
        store_verdict(one, name, verdicts[one.number])
    left = sum(one.verdict is None for one in drawn if one.number not in verdicts)
    con.print_line(
        f"{write_count(len(changed), 'verdict')} of {name} stored, {len(drawn)} drawn, {left} left."
    )


def _ask_for_all(
    drawn: Sequence[DrawnAnswer], name: str, marks: Mapping[int, Sequence[Mark]]
) -> None:
    """Show the answers without a verdict one by one, until all have one or the person stops."""
    from mabench.results import HandVerdict, store_verdict

    keys = {verdict.value[0]: verdict for verdict in HandVerdict}
    answers = list(drawn)
    evidence = _evidence_of([one for one in answers if one.verdict is None])
    place, given = _next_open(answers, 0), list[int]()
    while place is not None:
        one = answers[place]
        said = _said_of_golds(marks.get(one.number, ()))
        _show(one, len(answers), evidence.get(one.number), said)
        key = _read_key((*keys, _UNDO, _STOP))
        if key == _STOP:
            break
        if key == _UNDO:
            place = given.pop() if given else place
            continue
        answers[place] = store_verdict(one, name, keys[key])
        con.print_line(f"-> {keys[key].value}\n")
        given.append(place)
        place = _next_open(answers, place)
    done = sum(one.verdict is not None for one in answers)
    con.print_line(f"{name}: {done} of {len(answers)} answers judged; the same command goes on.")
    if done == len(answers) and marks:  # Before, it could tell a score.
        con.print_line(f"Answers with marks that people made: {len(marks)}.")


def _said_of_golds(marks: Sequence[Mark]) -> list[str]:
    """Return what people say of golds. What they say of verdicts would tell the score."""
    from mabench.results import MarkKind

    golds = [mark for mark in marks if mark.mark == MarkKind.GOLD_WRONG]
    days = [f" ({mark.date[:10]})" if mark.date else "" for mark in golds]
    notes = [f": {mark.note}" if mark.note else "" for mark in golds]
    return [f"the gold is wrong{day}{note}" for day, note in zip(days, notes, strict=True)]


def _next_open(answers: Sequence[DrawnAnswer], after: int) -> int | None:
    """Return the place of the next answer without a verdict, the earlier ones last."""
    places = [*range(after, len(answers)), *range(after)]
    return next((place for place in places if answers[place].verdict is None), None)


def _show(
    one: DrawnAnswer, total: int, evidence: Sequence[str] | None, said_of_golds: Sequence[str]
) -> None:
    sample = one.sample
    con.print_line(f"{one.number} of {total}")
    con.print_line(f"Question: {printable(sample.question)}")
    con.print_line(f"Golds: {printable(' | '.join(sample.answers))}")
    for said in said_of_golds:
        con.print_line(f"Somebody says: {printable(said)}")
    for text in evidence or ():
        con.print_line(f"Evidence: {printable(text[:_LONGEST])}")
    if evidence is None:
        con.print_line("Evidence: not looked at, since the data are not there.")
    con.print_line(f"Answer: {printable((sample.prediction or '')[:_LONGEST])}")


def _read_key(keys: Sequence[str]) -> str:
    """Return the key that was pressed, once it is one of these; the end of input stops."""
    import typer

    con.print_line("[r]ight  [h]alf  [w]rong  [c]annot tell  [u]ndo  [q]uit")
    while True:
        try:
            key = typer.getchar().lower()
        except (EOFError, KeyboardInterrupt):
            return _STOP
        if not key:
            return _STOP
        if key in keys:
            return key


def _evidence_of(drawn: Sequence[DrawnAnswer]) -> dict[int, list[str]]:
    """Return the texts that the golds are in, by the numbers of the answers, as far as known."""
    from mabench.inspection import look_up
    from mabench.results import Run

    texts: dict[int, list[str]] = {}
    for folder in dict.fromkeys(one.folders[0] for one in drawn):
        run = Run(folder.path)
        numbers = {one.sample.key: one.number for one in drawn if one.folders[0] is folder}
        questions = [question for question in run.questions() if question.key in numbers]
        for question in look_up(run, questions, prompts=False):
            if question.background.without is None:
                texts[numbers[question.key]] = list(_supporting_texts(question))
    return texts


def _supporting_texts(question: ScoredQuestion) -> Iterator[str]:
    for gold in question.background.golds or ():
        if gold.text is not None:
            yield " ".join(gold.text.split())
            return
