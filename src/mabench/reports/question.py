"""A question of a run for a reader: what was asked, answered, retrieved and shown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from mabench.inspection import PassageView, QuestionView, excerpt
from mabench.reports.layout import NONE, Table
from mabench.results import CallTotals, Sample, ScoredQuestion
from mabench.scoring import RULES

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

_PLACE = 12
_SCORE = 5
_GAP = 2
_LEAST_ROOM = 30
_AROUND = 300
_LONGEST_PROMPT = 4_000
_MARK = "bold reverse"
_GOLDS = 10

Spans = Sequence[tuple[int, int]]


def show_question_list(questions: Sequence[ScoredQuestion[Sample]], console: Console) -> None:
    """Print a line for each question under its source: place, score, question, answer, gold."""
    from rich.text import Text

    room = max(_LEAST_ROOM, console.width - _PLACE - _SCORE - 4 * _GAP)
    sizes = (room * 2 // 5, room * 3 // 10, room * 3 // 10)

    def line(place: str, score: str, *texts: str) -> None:
        cut = (_cut(text, size) for text, size in zip(texts, sizes, strict=True))
        words = "  ".join((f"{place:>{_PLACE}}", f"{score:>{_SCORE}}", *cut)).rstrip()
        console.print(Text(words), no_wrap=True, overflow="crop")

    source = None
    for sample, score, *_ in questions:
        if source is None:
            line("row/question", "score", "question", "answer", "gold")
        if sample.source != source:
            source = sample.source
            console.print(Text(source, style="bold"))
        place = f"{sample.row}/{sample.question_index}"
        shown = NONE if score is None else f"{score:.2g}"
        line(place, shown, sample.question, _answer(sample), _golds(sample))


def question_table(questions: Sequence[ScoredQuestion[Sample]]) -> Table:
    """Return one row for each question, with its texts in full."""
    headers = ("Source", "Row", "Question", "Score", "Text", "Answer", "Golds")
    rows = [
        (
            sample.source,
            str(sample.row),
            str(sample.question_index),
            NONE if score is None else f"{score:.2g}",
            sample.question,
            _answer(sample),
            _golds(sample),
        )
        for sample, score, *_ in questions
    ]
    return Table(headers, rows, (False, True, True, True, False, False, False))


def print_question(view: QuestionView, console: Console) -> None:
    """Print a question with all that is known of it, golds marked in the texts."""
    from rich.text import Text

    sample = view.sample
    place = f"{sample.source}, row {sample.row}, question {sample.question_index}"
    console.print(Text(place, style="bold"))
    for name, text in _facts(view):
        console.print(Text.assemble((f"{name}: ", "bold"), text))
    if view.golds is not None:
        _print_golds(view, console)
    if view.passages:
        console.print(Text(f"\nRetrieved, the best first ({len(view.passages)}):", style="bold"))
        for passage in view.passages:
            _print_passage(passage, console)
    if view.prompt is not None:
        shown, cut = view.prompt[-_LONGEST_PROMPT:], len(view.prompt) - _LONGEST_PROMPT
        before = f" (its end; {cut:,} characters stand before that)" if cut > 0 else ""
        console.print(Text(f"\nWhat the model was shown{before}:", style="bold"))
        console.print(Text(shown))
    if view.without:
        console.print(Text(f"\nThe history is not shown: {view.without}."))


def _facts(view: QuestionView) -> Iterator[tuple[str, str]]:
    """Yield what is known of a question, each under its name."""
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
    yield "Corrected", _corrected(view)
    for judgment in view.judgments:
        said = judgment.error or ", ".join(
            f"{name} {value}" for name, value in (judgment.verdict or {}).items()
        )
        yield f"Judge {judgment.model}", f"{_score(judgment.value)} ({said})"
    if sample.evidence_ranks is not None:
        found = sum(rank is not None for rank in sample.evidence_ranks)
        yield "Evidence", f"{found} of {len(sample.evidence_ranks)} turns were retrieved"
    elif sample.evidence_recall is not None:
        yield "Evidence", "was retrieved" if sample.evidence_recall else "was not retrieved"
    yield "Took", _amounts(view)
    for model, totals in (view.calls or {}).items():
        yield f"Calls of {model}", _calls(totals)
    if view.shared_calls:
        yield (
            "Other calls",
            f"{view.shared_calls:,} of its row, which were made while several questions were asked",
        )


def _golds(sample: Sample) -> str:
    """Return the golds, each once."""
    return " | ".join(dict.fromkeys(sample.answers))


def _score(value: float | bool | None) -> str:
    return "no score" if value is None else f"{float(value):.3g}"


def _corrected(view: QuestionView) -> str:
    """Return the corrected score with its verdict and the rule behind it, in words."""
    parts = [_score(view.corrected)]
    if view.verdict:
        parts.append(view.verdict)
    if view.rule:
        words = RULES.get(view.rule)
        parts.append(f"by the rule {view.rule}" + (f": {words}" if words else ""))
    return ", ".join(parts)


def _amounts(view: QuestionView) -> str:
    sample = view.sample
    parts = [
        "unknown seconds" if view.seconds is None else f"{view.seconds:.2f} s",
        *(
            f"{amount:,} {name}"
            for name, amount in (
                ("tokens in", sample.input_tokens),
                ("tokens out", sample.output_tokens),
                ("tokens dropped", sample.dropped_tokens),
            )
            if amount is not None
        ),
    ]
    if sample.cost is not None:
        parts.append(f"${sample.cost:.4f}")
    return ", ".join(parts)


def _calls(totals: CallTotals) -> str:
    parts = [
        f"{totals.calls:,}",
        *(
            f"{amount:,} {name}"
            for name, amount in (
                ("failed", totals.failed),
                ("answered by kept replies", totals.kept),
                ("tokens in", totals.input_tokens),
                ("of them cached", totals.cached_tokens),
                ("tokens out", totals.output_tokens),
            )
            if amount
        ),
        "unknown dollars" if totals.cost is None else f"${totals.cost:.6f}",
        f"{totals.seconds:.2f} s",
    ]
    return ", ".join(parts)


def _print_golds(view: QuestionView, console: Console) -> None:
    from rich.text import Text

    golds = view.golds or ()
    of = f" of {view.chunks}" if view.chunks else ""
    if not golds:
        console.print(Text("\nThe gold stands in no chunk of the history.", style="bold"))
        return
    chunks = "a chunk" if len(golds) == 1 else f"{len(golds)} chunks"
    console.print(Text(f"\nThe gold stands in {chunks} of the history:", style="bold"))
    for gold in golds[:_GOLDS]:
        depth = "" if gold.depth is None else f", {gold.depth:.0f} % deep"
        console.print(Text(f"  chunk {gold.chunk + 1}{of}{depth}"))
        if gold.text is not None:
            console.print(_marked(gold.text, gold.marks, indent="    "))
    if len(golds) > _GOLDS:
        console.print(Text(f"  and {len(golds) - _GOLDS} more"))


def _print_passage(passage: PassageView, console: Console) -> None:
    from rich.text import Text

    chunk = "" if passage.chunk is None else f", chunk {passage.chunk + 1}"
    score = "" if passage.score is None else f", score {passage.score:.4g}"
    hit = ", holds the gold" if passage.marks else ""
    console.print(Text(f"  {passage.rank}{chunk}{score}{hit}", style="bold" if hit else ""))
    if passage.text is not None:
        console.print(_marked(*excerpt(passage.text, passage.marks, _AROUND), indent="    "))


def _marked(text: str, marks: Spans, indent: str) -> Text:
    """Return a text with its marks set off, also where there are no colours."""
    from rich.text import Text

    shown = Text(indent)
    place = 0
    for start, end in marks:
        shown.append(text[place:start])
        shown.append(f"[{text[start:end]}]", style=_MARK)
        place = end
    shown.append(text[place:])
    return shown


def _cut(text: str, size: int) -> str:
    """Return a text on one line of a size."""
    flat = " ".join(text.split())
    return f"{flat:{size}}" if len(flat) <= size else f"{flat[: size - 1]}…"


def _answer(sample: Sample) -> str:
    return sample.error or sample.prediction or "(empty)"


def show_questions(views: Sequence[QuestionView], console: Console) -> None:
    """Print questions one after the other."""
    for number, view in enumerate(views):
        if number:
            console.rule()
        print_question(view, console)
