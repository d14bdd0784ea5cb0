"""Judging answers by hand in the terminal: one answer at a time, one key a verdict."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from mabench.cli import console as con
from mabench.errors import UsageError
from mabench.printable import printable, write_count

if TYPE_CHECKING:
    from mabench.results import DrawnAnswer, RunFolder, ScoredQuestion

_UNDO, _STOP = "u", "q"
_LONGEST = 4_000  # Characters of an answer or a passage that are shown.


def judge_by_hand(run: Path, count: int, name: str, sheet: Path | None) -> None:
    """Ask a person for verdicts on a random sample of a run's answers.

    With a ``sheet``, nothing is asked: a new one is written, and one that is there is read.
    """
    from mabench.results import draw_answers, open_for_judging, summarize_again

    if count < 1:
        raise UsageError("--by-hand takes a number of answers, at least 1")
    folder = open_for_judging(run)
    with folder.own():
        drawn = draw_answers(folder, count, name)
        if sheet is not None:
            _use_sheet(folder, drawn, name, sheet)
        else:
            _ask_for_all(folder, drawn, name)
        summarize_again(folder)


def _use_sheet(folder: RunFolder, drawn: Sequence[DrawnAnswer], name: str, sheet: Path) -> None:
    from mabench.results import read_sheet, store_verdict, write_sheet

    if not sheet.exists():
        write_sheet(drawn, sheet)
        con.messages().print(
            f"{write_count(len(drawn), 'answer')} written to {sheet}. Fill its last column with "
            "right, half, wrong or cannot tell; the same command reads it."
        )
        return
    verdicts = read_sheet(drawn, sheet)
    changed = [one for one in drawn if verdicts.get(one.number, one.verdict) is not one.verdict]
    for one in changed:
        store_verdict(folder, one, name, verdicts[one.number])
    left = sum(one.verdict is None for one in drawn if one.number not in verdicts)
    con.print_line(
        f"{write_count(len(changed), 'verdict')} of {name} stored, {len(drawn)} drawn, {left} left."
    )


def _ask_for_all(folder: RunFolder, drawn: Sequence[DrawnAnswer], name: str) -> None:
    """Show the answers without a verdict one by one, until all have one or the person stops."""
    from mabench.results import HandVerdict, store_verdict

    keys = {verdict.value[0]: verdict for verdict in HandVerdict}
    answers = list(drawn)
    evidence = _evidence_of(folder, [one for one in answers if one.verdict is None])
    place, given = _next_open(answers, 0), list[int]()
    while place is not None:
        one = answers[place]
        _show(one, len(answers), evidence.get(one.number))
        key = _read_key((*keys, _UNDO, _STOP))
        if key == _STOP:
            break
        if key == _UNDO:
            place = given.pop() if given else place
            continue
        answers[place] = store_verdict(folder, one, name, keys[key])
        con.print_line(f"-> {keys[key].value}\n")
        given.append(place)
        place = _next_open(answers, place)
    done = sum(one.verdict is not None for one in answers)
    con.print_line(f"{name}: {done} of {len(answers)} answers judged; the same command goes on.")


def _next_open(answers: Sequence[DrawnAnswer], after: int) -> int | None:
    """Return the place of the next answer without a verdict, the earlier ones last."""
    places = [*range(after, len(answers)), *range(after)]
    return next((place for place in places if answers[place].verdict is None), None)


def _show(one: DrawnAnswer, total: int, evidence: Sequence[str] | None) -> None:
    sample = one.sample
    con.print_line(f"{one.number} of {total}")
    con.print_line(f"Question: {printable(sample.question)}")
    con.print_line(f"Golds: {printable(' | '.join(sample.answers))}")
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


def _evidence_of(folder: RunFolder, drawn: Sequence[DrawnAnswer]) -> dict[int, list[str]]:
    """Return the texts that the golds are in, by the numbers of the answers, as far as known."""
    from mabench.inspection import look_up
    from mabench.results import Run

    run = Run(folder.path)
    numbers = {one.sample.key: one.number for one in drawn}
    questions = [question for question in run.questions() if question.key in numbers]
    texts: dict[int, list[str]] = {}
    for question in look_up(run, questions, prompts=False):
        if question.background.without is None:
            texts[numbers[question.key]] = list(_supporting_texts(question))
    return texts


def _supporting_texts(question: ScoredQuestion) -> Iterator[str]:
    for gold in question.background.golds or ():
        if gold.text is not None:
            yield " ".join(gold.text.split())
            return
