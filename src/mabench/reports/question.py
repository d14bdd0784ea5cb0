"""A question of a run for a reader: what was asked, answered, retrieved and shown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from mabench.inspection import QuestionView
from mabench.reports.tables import NONE, Column, Table, tabulate
from mabench.results import CallTotals, Sample, ScoredQuestion
from mabench.scoring import RULES
from mabench.text.marks import excerpt

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

_PLACE = 12
_SCORE = 5
_GAP = 2
_LEAST_ROOM = 30
_AROUND = 300
_LONGEST_PROMPT = 4_000
_GOLDS = 10

_Scored = ScoredQuestion


def show_question_list(questions: Sequence[_Scored], console: Console) -> None:
    """Print a line for each question under its source: place, score, question, answer, gold."""
    from rich.text import Text

    room = max(_LEAST_ROOM, console.width - _PLACE - _SCORE - 4 * _GAP)
    sizes = (room * 2 // 5, room * 3 // 10, room * 3 // 10)

    def line(place: str, score: str, *texts: str) -> None:
        cells = [f"{place:>{_PLACE}}", f"{score:>{_SCORE}}"]
        for text, size in zip(texts, sizes, strict=True):
            flat = " ".join(text.split())
            cells.append(f"{flat:{size}}" if len(flat) <= size else f"{flat[: size - 1]}…")
        console.print(Text("  ".join(cells).rstrip()), no_wrap=True, overflow="crop")

    source = None
    for question in questions:
        sample = question.sample
        if source is None:
            line("row/question", "score", "question", "answer", "gold")
        if sample.source != source:
            source = sample.source
            console.print(Text(source, style="bold"))
        score = NONE if question.official is None else f"{question.official:.2g}"
        place = f"{sample.row}/{sample.question_index}"
        line(place, score, sample.question, _answer(question), _golds(sample))


def question_table(questions: Sequence[_Scored]) -> Table:
    """Return one row for each question, with its texts in full."""
    columns: tuple[Column[_Scored], ...] = (
        Column("Source", lambda question: question.sample.source),
        Column("Row", lambda question: question.sample.row, ""),
        Column("Question", lambda question: question.sample.question_index, ""),
        Column("Score", lambda question: question.official, ".2g"),
        Column("Text", lambda question: question.sample.question),
        Column("Answer", _answer),
        Column("Golds", lambda question: _golds(question.sample)),
    )
    return tabulate(columns, questions)


def _answer(question: _Scored) -> str:
    return question.sample.error or question.sample.prediction or "(empty)"


def show_questions(views: Sequence[QuestionView], console: Console) -> None:
    """Print questions with all that is known of them, golds marked in the texts."""
    for number, view in enumerate(views):
        if number:
            console.rule()
        for line in _lines(view):
            console.print(line)


def _lines(view: QuestionView) -> Iterator[Text]:
    from rich.text import Text

    def heading(text: str) -> Text:
        return Text(text, style="bold")

    sample = view.sample
    yield heading(f"{sample.source}, row {sample.row}, question {sample.question_index}")
    for name, text in _facts(view):
        yield Text.assemble((f"{name}: ", "bold"), text)
    golds = view.golds
    if golds:
        chunks = "a chunk" if len(golds) == 1 else f"{len(golds)} chunks"
        yield heading(f"\nThe gold stands in {chunks} of the history:")
        for gold in golds[:_GOLDS]:
            of = f" of {view.chunks}" if view.chunks else ""
            depth = "" if gold.depth is None else f", {gold.depth:.0f} % deep"
            yield Text(f"  chunk {gold.chunk + 1}{of}{depth}")
            if gold.text is not None:
                yield mark_spans(gold.text, gold.marks)
        if len(golds) > _GOLDS:
            yield Text(f"  and {len(golds) - _GOLDS} more")
    elif golds is not None:
        yield heading("\nThe gold stands in no chunk of the history.")
    if view.passages:
        yield heading(f"\nRetrieved, the best first ({len(view.passages)}):")
    for passage in view.passages:
        chunk = "" if passage.chunk is None else f", chunk {passage.chunk + 1}"
        score = "" if passage.score is None else f", score {passage.score:.4g}"
        hit = ", holds the gold" if passage.marks else ""
        yield Text(f"  {passage.rank}{chunk}{score}{hit}", style="bold" if hit else "")
        if passage.text is not None:
            yield mark_spans(*excerpt(passage.text, passage.marks, _AROUND))
    if view.prompt is not None:
        cut = len(view.prompt) - _LONGEST_PROMPT
        before = f" (its end; {cut:,} characters stand before that)" if cut > 0 else ""
        yield heading(f"\nWhat the model was shown{before}:")
        yield Text(view.prompt[-_LONGEST_PROMPT:])
    if view.without:
        yield Text(f"\nThe history is not shown: {view.without}.")


def _facts(view: QuestionView) -> Iterator[tuple[str, str]]:
    sample = view.sample
    yield "Question", sample.question
    if sample.question_type:
        yield "Type", sample.question_type
    yield "Golds", _golds(sample)
    if sample.error is not None:
        yield "Error", sample.error
        if sample.traceback:
            yield "Raised at", f"\n{sample.traceback}"
    else:
        yield "Answer", sample.prediction or "(empty)"
    yield "Official", f"{view.metric} {_score(view.official)}"
    corrected = [_score(view.corrected), *filter(None, [view.verdict])]
    if view.rule:
        words = f": {RULES[view.rule]}" if RULES.get(view.rule) else ""
        corrected.append(f"by the rule {view.rule}{words}")
    yield "Corrected", ", ".join(corrected)
    for judgment in view.judgments:
        verdict = (f"{name} {value}" for name, value in (judgment.verdict or {}).items())
        reply = judgment.error or ", ".join(verdict)
        yield f"Judge {judgment.model}", f"{_score(judgment.value)} ({reply})"
    if sample.evidence_ranks is not None:
        turns = sum(rank is not None for rank in sample.evidence_ranks)
        yield "Evidence", f"{turns} of {len(sample.evidence_ranks)} turns were retrieved"
    elif sample.evidence_recall is not None:
        yield "Evidence", "was retrieved" if sample.evidence_recall else "was not retrieved"
    amounts = (
        (sample.input_tokens, "tokens in"),
        (sample.output_tokens, "tokens out"),
        (sample.dropped_tokens, "tokens dropped"),
    )
    took = ["unknown seconds" if view.seconds is None else f"{view.seconds:.2f} s"]
    took += [f"{amount:,} {name}" for amount, name in amounts if amount is not None]
    yield "Took", ", ".join(took + ([] if sample.cost is None else [f"${sample.cost:.4f}"]))
    for model, totals in (view.calls or {}).items():
        yield f"Calls of {model}", _describe_calls(totals)
    if view.shared_calls:
        number = f"{view.shared_calls:,} of its row"
        yield "Other calls", f"{number}, which were made while several questions were asked"


def _golds(sample: Sample) -> str:
    return " | ".join(dict.fromkeys(sample.answers))


def _score(value: float | bool | None) -> str:
    return "no score" if value is None else f"{float(value):.3g}"


def _describe_calls(totals: CallTotals) -> str:
    amounts = (
        (totals.failed, "failed"),
        (totals.kept, "answered by kept replies"),
        (totals.input_tokens, "tokens in"),
        (totals.cached_tokens, "of them cached"),
        (totals.output_tokens, "tokens out"),
    )
    parts = [f"{totals.calls:,}", *(f"{amount:,} {name}" for amount, name in amounts if amount)]
    parts.append("unknown dollars" if totals.cost is None else f"${totals.cost:.6f}")
    return ", ".join([*parts, f"{totals.seconds:.2f} s"])


def mark_spans(text: str, marks: Sequence[tuple[int, int]]) -> Text:
    """Return a text with its marks set off, also where there are no colours."""
    from rich.text import Text

    marked = Text("    ")
    place = 0
    for start, end in marks:
        marked.append(text[place:start])
        marked.append(f"[{text[start:end]}]", style="bold reverse")
        place = end
    return marked.append(text[place:])
