"""Prints questions of a run, or of a data set, as a list or each in full."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import groupby
from operator import itemgetter

from rich.console import Console
from rich.text import Text

from mabench.audit import QuestionPlaces
from mabench.families import search_query
from mabench.printable import write_count
from mabench.reports.formats.terminal import share_room
from mabench.reports.tables import NONE, Column, Table, tabulate
from mabench.results import PARTS, Background, CallTotals, Key, Sample, ScoredQuestion, StageRecord
from mabench.scoring import RULES
from mabench.text.spans import cut_excerpt

_GAP = "  "
_heading = partial(Text, style="bold")
# The least widths of a column, and of the last one.
_LEAST, _LEAST_WHY = 9, 24
# Formats that are stored in files.
_FILES = ("markdown", "latex", "csv")
# Characters that are shown on each side of a gold answer, of a prompt, and of a gold answer.
_AROUND = 300
_LONGEST_PROMPT = 4_000
_LONGEST_GOLD = 300
# How many places of golds are listed, in a run's history and in a data set.
_MOST_GOLDS = 10
_MOST_PLACES = 5
# How questions of EventQA begin.
_EVENTS = "These are the events that have already occurred:"
_WITHOUT_SCORE = "without a score yet"
# The beginning of "Why" that only repeats the heading of the group.
_REPEATED = re.compile(r"^(?:not (?:retrieved|mentioned)(?:, )?|(?:retrieved|mentioned) (?=at))")
# Characters of a judge's own words.
_LONGEST_WORDS = 2_000
_UNJUDGED = "not judged yet: run `mabench judge`"

# The answers of another run to the same questions.
OtherAnswers = Mapping[Key, ScoredQuestion]


def show_question_list(
    questions: Sequence[ScoredQuestion],
    console: Console,
    others: OtherAnswers | None = None,
    titles: Mapping[str, str] | None = None,
) -> None:
    """Print a line for each question: its place, text, answer, gold answer and cause.

    Lines are grouped by cause and then by source; ``titles`` replace the names of sources.
    ``others`` adds a column with the answers of another run.
    """
    table = question_table(questions, others).in_format("table")
    rows = [[" ".join(cell.split()) for cell in row] for row in table.rows]
    lines = [[*row[:-1], _REPEATED.sub("", row[-1])] for row in rows]
    header = [title.lower() for title in table.headers]
    full = [max(map(len, cells)) for cells in zip(header, *lines, strict=True)]
    least = [full[0], *(min(width, _LEAST) for width in full[1:-1]), min(full[-1], _LEAST_WHY)]
    room = console.width - sum(least) - len(_GAP) * (len(least) - 1)
    widths = share_room(least, full, room)

    def print_line(cells: Sequence[str]) -> None:
        cells_of_width = [
            f"{cell:{width}}" if len(cell) <= width else f"{cell[: width - 1]}…"
            for cell, width in zip(cells, widths, strict=True)
        ]
        console.print(Text(_GAP.join(cells_of_width).rstrip()), no_wrap=True, overflow="crop")

    if lines:
        print_line(header)
    by_cause = itemgetter(0)
    listed = sorted(zip(map(_cause, questions), lines, questions, strict=True), key=by_cause)
    for (_, cause), group in groupby(listed, key=by_cause):
        of_cause = list(group)
        console.print(_heading(f"{cause[0].upper()}{cause[1:]} ({len(of_cause)})"))
        for source, of_source in groupby(of_cause, key=lambda each: each[2].sample.source):
            console.print(Text((titles or {}).get(source, source)))
            for _, line, _ in of_source:
                print_line(line)


def question_table(
    questions: Sequence[ScoredQuestion], others: OtherAnswers | None = None
) -> Table:
    """Return a table with a row for each question and its texts in full.

    ``others`` adds a column with the answers of another run.
    """

    def place(question: ScoredQuestion) -> str:
        return f"{question.sample.row}/{question.sample.question_index}"

    columns: list[Column[ScoredQuestion]] = [
        Column("Place", place, formats=["table"]),
        Column("Source", lambda question: question.sample.source, formats=_FILES),
        Column("Row", lambda question: question.sample.row, "", key=True, formats=_FILES),
        Column("Number", lambda one: one.sample.question_index, "", key=True, formats=_FILES),
        Column("Score", lambda question: question.official, ".2g", formats=["markdown", "csv"]),
        Column("Question", _asked),
        Column("Answer" if others is None else "Here", _answer),
    ]
    if others is not None:
        columns.append(Column("There", lambda question: _answer(others[question.sample.key])))
    gold: Column[ScoredQuestion] = Column("Gold", lambda question: _golds(question.sample))
    return tabulate([*columns, gold, Column("Why", _why)], questions)


def _asked(question: ScoredQuestion) -> str:
    """Return a question without the words that all questions of its source share."""
    asked = search_query(question.sample.question).strip()
    if asked.endswith("\nSystem:"):  # In a dialogue, the user's last words are the question.
        return asked.rpartition("\nUser: ")[2]
    return asked.removeprefix(_EVENTS).lstrip()


def _cause(question: ScoredQuestion) -> tuple[int, str]:
    """Return the place of a question's cause in the list, and its heading."""
    if question.official is None and question.part == "unclear":
        return len(PARTS), _WITHOUT_SCORE if question.is_judged else _UNJUDGED
    place = list(PARTS).index(question.part)
    return place, PARTS[question.part].describe(question.sample.hit_by)


def _why(question: ScoredQuestion) -> str:
    """Return what made an answer wrong, and the rule that decided its score."""
    sample, part = question.sample, question.part
    if part == "failed":
        return (sample.error or "").partition(":")[0] or NONE
    reasons = []
    seen = "retrieved" if sample.hit_by == "evidence" else "mentioned"
    if part == "missed":
        reasons.append(f"not {seen}")
    elif PARTS[part].missed or part == "cut":
        reasons.append(PARTS[part].head.lower())
    elif part == "misread":
        reasons.append(f"{seen} at {sample.hit_rank}")
    if question.rule:
        reasons.append(question.rule)
    return ", ".join(reasons) or NONE


def _answer(question: ScoredQuestion) -> str:
    return question.sample.error or question.sample.prediction or "(empty)"


def show_questions(questions: Iterable[ScoredQuestion | QuestionPlaces], console: Console) -> None:
    """Print questions of a run or of a data set in full, with gold answers marked in the texts."""
    for number, question in enumerate(questions):
        if number:
            console.rule()
        if isinstance(question, ScoredQuestion):
            lines = _describe_answer(question)
        else:
            lines = _describe_places(question)
        for line in lines:
            console.print(line)


def _format_facts(facts: Iterable[tuple[str, str]]) -> Iterator[Text]:
    """Return a line for each fact, with its name in bold."""
    return (Text.assemble((f"{name}: ", "bold"), text) for name, text in facts)


def _describe_answer(question: ScoredQuestion) -> Iterator[Text]:
    """Yield the lines of a question of a run."""
    sample, background = question.sample, question.background
    yield _heading(f"{sample.source}, row {sample.row}, question {sample.question_index}")
    yield from _format_facts(_facts(question))
    yield from _describe_golds(background)
    yield from _describe_passages(background)
    if background.prompt is not None:
        cut = len(background.prompt) - _LONGEST_PROMPT
        before = f" (its end; {cut:,} characters before it are omitted)" if cut > 0 else ""
        yield _heading(f"\nWhat the model saw{before}:")
        yield Text(background.prompt[-_LONGEST_PROMPT:])
    if background.without:
        yield Text(f"\nThe history is not shown: {background.without}.")


def _describe_golds(background: Background) -> Iterator[Text]:
    """Yield where the gold answers are in the history, with excerpts."""
    golds = background.golds
    if golds:
        chunks = "a chunk" if len(golds) == 1 else f"{len(golds)} chunks"
        yield _heading(f"\nThe gold is mentioned in {chunks} of the history:")
        for gold in golds[:_MOST_GOLDS]:
            of = f" of {background.chunks}" if background.chunks else ""
            depth = "" if gold.depth is None else f", {gold.depth:.0f} % deep"
            yield Text(f"  chunk {gold.chunk + 1}{of}{depth}")
            if gold.text is not None:
                yield _mark_spans(gold.text, gold.marks)
        if len(golds) > _MOST_GOLDS:
            yield Text(f"  and {len(golds) - _MOST_GOLDS} more")
    elif golds is not None:
        yield _heading("\nNo chunk of the history mentions the gold.")


def _describe_passages(background: Background) -> Iterator[Text]:
    """Yield the retrieved passages, with their ranks and what they hold."""
    if background.passages:
        yield _heading(f"\nRetrieved, best first ({len(background.passages)}):")
    for passage in background.passages:
        chunk = "" if passage.chunk is None else f", chunk {passage.chunk + 1}"
        score = "" if passage.score is None else f", score {passage.score:.4g}"
        hit = ", holds evidence" if passage.evidence else ""
        hit += ", mentions the gold" if passage.marks else ""
        yield Text(f"  {passage.rank}{chunk}{score}{hit}", style="bold" if hit else "")
        if passage.text is not None:
            excerpt, marks = cut_excerpt(passage.text, passage.marks, _AROUND)
            yield _mark_spans(excerpt, marks)


def _facts(question: ScoredQuestion) -> Iterator[tuple[str, str]]:
    """Yield the facts about a question of a run, by their names."""
    sample, background = question.sample, question.background
    yield "Question", sample.question
    if sample.question_type:
        yield "Type", sample.question_type
    if sample.asked_after:
        yield "Asked after", f"{sample.asked_after}, before the rest of the history was memorized"
    yield "Golds", _golds(sample)
    if sample.error is not None:
        yield "Error", sample.error
        if sample.traceback:
            yield "Raised at", f"\n{sample.traceback}"
    else:
        yield "Answer", sample.prediction or "(empty)"
    yield "Official", f"{question.metric} {_score(question.official)}"
    corrected = [_score(question.corrected)]
    if question.verdict:
        corrected.append(question.verdict)
    if question.rule:
        words = f": {RULES[question.rule]}" if RULES.get(question.rule) else ""
        corrected.append(f"by the rule {question.rule}{words}")
    yield "Corrected", ", ".join(corrected)
    for judgment in background.judgments:
        verdict = (f"{name} {value}" for name, value in (judgment.verdict or {}).items())
        reply = judgment.error or ", ".join(verdict)
        yield f"Judge {judgment.model}", f"{_score(judgment.value)} ({reply})"
        if judgment.words:
            requests = judgment.requests or 1
            when = "" if requests == 1 else f", after {requests} requests"
            yield f"{judgment.model} wrote{when}", judgment.words[:_LONGEST_WORDS]
    yield "Outcome", PARTS[question.part].describe(sample.hit_by)
    if sample.evidence_ranks is not None:
        held = sum(rank is not None for rank in sample.evidence_ranks)
        yield "Evidence", f"{held} of {len(sample.evidence_ranks)} statements retrieved"
    if question.seen is not None:
        yield "In the memory", describe_support(question.seen)
    yield "Took", ", ".join(_list_expenses(question))
    for model, totals in (background.calls or {}).items():
        yield f"Calls of {model}", ", ".join(_list_totals(totals))
    if background.shared_calls:
        number = f"{background.shared_calls:,} of its row"
        yield "Other calls", f"{number}, made while several questions were being answered"


# What a store holds of a support, in words.
_HELD = {
    "whole": "its support is in the store",
    "changed": "the store holds its support as something else",
    "none": "its support is not in the store",
    "unclear": "whether the store holds its support is unclear",
    None: "whether the store holds its support is unknown",
}
_HELD_FIRST = {
    "whole": "where it was once",
    "changed": "where it was something else from the beginning",
    "none": "where it never was",
    "unclear": "where it may have been",
}


def describe_support(seen: StageRecord) -> str:
    """Return in words what was seen of what supports a question in the memory."""
    if seen.error is not None:
        return f"not looked at: {seen.error}"
    words = [_HELD[seen.held]]
    if seen.held != "whole" and seen.held_first is not None:
        words.append(_HELD_FIRST[seen.held_first])
    if seen.records is not None:
        cut = ", visibly not all" if seen.list_cut else ""
        words.append(f"{write_count(seen.records, 'record')} listed{cut}")
    if seen.rank:
        words.append(f"rank {seen.rank} of a search for {seen.depth}")
    elif seen.rank == 0:
        words.append(f"not among {seen.depth} passages of a deeper search")
    if seen.shown is False:
        words.append("what was returned of it was cut off")
    return ", ".join(words)


def _list_expenses(question: ScoredQuestion) -> Iterator[str]:
    """Yield the seconds, tokens and dollars that an answer took, as far as they are known."""
    sample = question.sample
    yield "unknown seconds" if question.seconds is None else f"{question.seconds:.2f} s"
    amounts = (
        (sample.input_tokens, "tokens in"),
        (sample.output_tokens, "tokens out"),
        (sample.dropped_tokens, "tokens dropped"),
    )
    for amount, name in amounts:
        if amount is not None:
            yield f"{amount:,} {name}"
    if sample.cut_off:
        yield "cut off at the limit of its tokens"
    if sample.cost is not None:
        yield f"${sample.cost:.4f}"


def _list_totals(totals: CallTotals) -> Iterator[str]:
    """Yield the number of calls, their tokens, dollars and seconds."""
    yield f"{totals.calls:,}"
    counts = (
        (totals.failed, "failed"),
        (totals.kept, "answered from the cache"),
        (totals.input_tokens, "tokens in"),
        (totals.cached_tokens, "of them cached"),
        (totals.output_tokens, "tokens out"),
    )
    for count, name in counts:
        if count:
            yield f"{count:,} {name}"
    yield "unknown dollars" if totals.cost is None else f"${totals.cost:.6f}"
    yield f"{totals.seconds:.2f} s"


def _golds(sample: Sample) -> str:
    return " | ".join(dict.fromkeys(sample.answers))


def _score(value: float | bool | None) -> str:
    return "no score" if value is None else f"{float(value):.3g}"


def _mark_spans(text: str, marks: Sequence[tuple[int, int]]) -> Text:
    """Return a text with its marks in bold and in brackets, for terminals without colours."""
    marked, place = Text("    "), 0
    for start, end in marks:
        marked.append(text[place:start])
        marked.append(f"[{text[start:end]}]", style="bold reverse")
        place = end
    return marked.append(text[place:])


def _describe_places(view: QuestionPlaces) -> Iterator[Text]:
    """Yield the lines of a question of a data set."""
    question = view.question
    place = f"row {question.row}, question {question.question_index}"
    yield _heading(f"{question.source}, {place} ({question.split})")
    facts = [
        ("Question", question.question),
        ("Type", question.question_type),
        ("Date", question.question_date),
        ("Asked after", question.asked_after),
        ("Asked by", question.asked_by),
        ("Id", question.qa_pair_id),
        ("Scored by", f"{view.golds.metric}; {view.golds.rule}"),
        *(("Rubric", line) for line in question.rubric or ()),
    ]
    for gold in view.golds.candidates:
        alike = "".join(f", also {text!r}" for text in gold.alike)
        doubt = f"; doubtful: {gold.doubt}" if gold.doubt else ""
        compared = f"compared as {gold.normalized[:_LONGEST_GOLD]!r}{alike}{doubt}"
        facts.append(("Gold", f"{gold.text[:_LONGEST_GOLD]} ({compared})"))
    yield from _format_facts((name, text) for name, text in facts if text)
    if view.places is None:
        not_quotes = "The golds are not quotes from the history"
        yield Text(f"\n{not_quotes}, so the history is not searched for them.")
    for what, places in (
        ("A gold", view.places),
        ("The evidence", view.evidence or None),
        ("An older value", view.older_values or None),
    ):
        if places is None:
            continue
        where = {0: "nowhere", 1: "once"}.get(len(places), f"at {len(places):,} places")
        history = f"the history of {view.characters:,} characters"
        yield _heading(f"\n{what} occurs {where} in {history}.")
        for at in places[:_MOST_PLACES]:
            yield Text(f"  {at.depth:.1f} % deep")
            yield _mark_spans(at.text, at.marks)
        if len(places) > _MOST_PLACES:
            yield Text(f"  and {len(places) - _MOST_PLACES:,} more")
