"""One answer of a run: what it rests on, what was retrieved, and the answer beside the gold."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial

from rich.text import Text

from mabench.printable import write_count, write_number
from mabench.results import (
    PARTS,
    Background,
    CallTotals,
    ReadPassage,
    Sample,
    ScoredQuestion,
    StageRecord,
    SupportPlace,
)
from mabench.scoring import RULES
from mabench.text.spans import cut_excerpt

_heading = partial(Text, style="bold")
# Characters that are shown on each side of a gold answer, and of a prompt.
_AROUND = 300
_AROUND_BRIEFLY = 60
_LONGEST_SUPPORT = 400
_LONGEST_PROMPT = 4_000
# Characters of a judge's own words.
_LONGEST_WORDS = 2_000
# How many places of golds are listed, and how many passages that hold nothing.
_MOST_GOLDS = 10
_FIRST_PASSAGES = 3


def describe_answer(question: ScoredQuestion, *, full: bool = False) -> Iterator[Text]:
    """Yield the lines of a question of a run: shortened, unless in ``full``."""
    sample, background = question.sample, question.background
    yield _heading(f"{sample.source}, row {sample.row}, question {sample.question_index}")
    yield from _format_facts(_question_facts(sample))
    yield from _describe_support(question)
    yield from _describe_passages(sample, background, full=full)
    yield Text("")
    yield from _format_facts(_answer_facts(sample))
    yield from _format_facts(_score_facts(question))
    yield from _describe_golds(background, full=full)
    if background.prompt is not None and full:
        cut = len(background.prompt) - _LONGEST_PROMPT
        before = f" (its end; {cut:,} characters before it are omitted)" if cut > 0 else ""
        yield _heading(f"\nWhat the model saw{before}:")
        yield Text(background.prompt[-_LONGEST_PROMPT:])
    if background.without:
        yield Text(f"\nThe history is not shown: {background.without}.")


def _format_facts(facts: Iterable[tuple[str, str]]) -> Iterator[Text]:
    """Return a line for each fact, with its name in bold."""
    return (Text.assemble((f"{name}: ", "bold"), text) for name, text in facts)


def _question_facts(sample: Sample) -> Iterator[tuple[str, str]]:
    yield "Question", sample.question
    if sample.question_type:
        yield "Type", sample.question_type
    if sample.asked_after:
        yield "Asked after", f"{sample.asked_after}, before the rest of the history was memorized"


def _describe_support(question: ScoredQuestion) -> Iterator[Text]:
    """Yield what the answer rests on, where it was told, and whether it was retrieved."""
    sample, background = question.sample, question.background
    support = background.support or ()
    for place in support:
        where = _rank_words(sample, place.rank)
        yield Text.assemble(
            ("\nThe answer rests on", "bold"),
            f"{where}: {_support_place(place, background.chunks)}'{_shorten(place.text)}'",
        )
    if support or not background.golds:
        return
    # Nobody knows more of the support than where the gold is said.
    first, *_ = background.golds
    where = _rank_words(sample, sample.hit_rank)
    at = _place_words(first.chunk, first.depth, background.chunks)
    yield Text.assemble(("\nThe gold is mentioned", "bold"), f"{where} in {at}")
    if first.text is not None:
        yield mark_spans(first.text, first.marks)


def _rank_words(sample: Sample, rank: int | None) -> str:
    """Return whether something was retrieved; nothing if the agent does not tell."""
    if rank:
        return f" (retrieved, rank {rank})"
    is_told = sample.shown_tokens is not None and sample.hit_by is not None
    return " (not retrieved)" if is_told else ""


def _support_place(place: SupportPlace, chunks: int | None) -> str:
    if place.chunk is None:
        return ""
    return f"{_place_words(place.chunk, place.depth, chunks)}: "


def _place_words(chunk: int, depth: float | None, chunks: int | None) -> str:
    of = f" of {chunks}" if chunks else ""
    at = "" if depth is None else f", at {write_number(depth, '.0f')} % of the history"
    return f"chunk {chunk + 1}{of}{at}"


def _shorten(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= _LONGEST_SUPPORT else f"{text[:_LONGEST_SUPPORT]}…"


def _describe_passages(sample: Sample, background: Background, *, full: bool) -> Iterator[Text]:
    """Yield what was retrieved: all of it in full, else what holds something, and the first."""
    passages = background.passages
    if not passages:
        if sample.shown_tokens is not None or sample.retrieved:
            yield _heading("\nNothing was retrieved.")
        return
    yield _heading(f"\nRetrieved, best first ({len(passages)}):")
    if all(passage.text is None for passage in passages):
        chunks = [passage.chunk for passage in passages if passage.chunk is not None]
        yield Text(f"  chunks {', '.join(f'{chunk + 1}' for chunk in chunks)}")
        return
    left_out = 0
    for passage in passages:
        if full or passage.rank <= _FIRST_PASSAGES or passage.evidence or passage.marks:
            yield from _describe_passage(passage, full=full)
        else:
            left_out += 1
    if left_out:
        yield Text(f"  and {left_out} more, in the full view")


def _describe_passage(passage: ReadPassage, *, full: bool) -> Iterator[Text]:
    chunk = "" if passage.chunk is None else f", chunk {passage.chunk + 1}"
    score = "" if passage.score is None else f", score {passage.score:.4g}"
    hit = ", holds what the answer rests on" if passage.evidence else ""
    hit += ", mentions the gold" if passage.marks else ""
    yield Text(f"  {passage.rank}{chunk}{score}{hit}", style="bold" if hit else "")
    if passage.text is not None:
        around = _AROUND if full else _AROUND_BRIEFLY
        excerpt, marks = cut_excerpt(passage.text, passage.marks, around)
        if not full:  # One line for each line break, and no change of the places of marks.
            excerpt = excerpt.replace("\n", " ")
        yield mark_spans(excerpt, marks)


def _describe_golds(background: Background, *, full: bool) -> Iterator[Text]:
    """Yield where the gold answers are in the history; only how many places, unless in full."""
    golds = background.golds
    if golds is None:
        return
    if not golds:
        yield Text("No chunk of the history mentions the gold.")
        return
    chunks = f"{write_count(len(golds), 'chunk')} of the history"
    verb = "mentions" if len(golds) == 1 else "mention"
    if not full:
        yield Text(f"{chunks} {verb} the gold; the full view shows where.")
        return
    yield _heading(f"\n{chunks} {verb} the gold:")
    for gold in golds[:_MOST_GOLDS]:
        yield Text(f"  {_place_words(gold.chunk, gold.depth, background.chunks)}")
        if gold.text is not None:
            yield mark_spans(gold.text, gold.marks)
    if len(golds) > _MOST_GOLDS:
        yield Text(f"  and {len(golds) - _MOST_GOLDS} more")


def _answer_facts(sample: Sample) -> Iterator[tuple[str, str]]:
    """Yield the answer and, below it, the gold."""
    if sample.error is not None:
        yield "Error", sample.error
        if sample.traceback:
            yield "Raised at", f"\n{sample.traceback}"
    else:
        yield "Answer", sample.prediction or "(empty)"
    yield "Gold", join_golds(sample)


def _score_facts(question: ScoredQuestion) -> Iterator[tuple[str, str]]:
    """Yield how the answer was scored and judged, and what it took."""
    sample, background = question.sample, question.background
    yield "Outcome", PARTS[question.part].describe(sample.hit_by)
    yield "Official", f"{question.metric} {_score(question.official)}"
    corrected = [_score(question.corrected)]
    if question.verdict:
        corrected.append(question.verdict)
    if words := RULES.get(question.rule or ""):
        corrected.append(words)
    yield "Corrected", ", ".join(corrected)
    for judgment in background.judgments:
        verdict = (f"{name} {value}" for name, value in (judgment.verdict or {}).items())
        reply = judgment.error or ", ".join(verdict)
        yield f"Judge {judgment.model}", f"{_score(judgment.value)} ({reply})"
        if judgment.words:
            requests = judgment.requests or 1
            when = "" if requests == 1 else f", after {requests} requests"
            yield f"{judgment.model} wrote{when}", judgment.words[:_LONGEST_WORDS]
    if sample.evidence_ranks is not None and len(sample.evidence_ranks) > 1:
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


def join_golds(sample: Sample) -> str:
    """Return the golds of a question, each once."""
    return " | ".join(dict.fromkeys(sample.answers))


def _score(value: float | bool | None) -> str:
    return "no score" if value is None else f"{float(value):.3g}"


def mark_spans(text: str, marks: Sequence[tuple[int, int]]) -> Text:
    """Return a text with its marks in bold and in brackets, for terminals without colours."""
    marked, place = Text("    "), 0
    for start, end in marks:
        marked.append(text[place:start])
        marked.append(f"[{text[start:end]}]", style="bold reverse")
        place = end
    return marked.append(text[place:])
