"""Prints one answer of a run: what it rests on, what was retrieved, and the answer beside the gold.

The *support* of a question is what its answer rests on in the history.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial

from rich.text import Text

from mabench.printable import write_count, write_number
from mabench.results import (
    PARTS,
    Background,
    CallTotals,
    Judgment,
    ReadPassage,
    Sample,
    ScoredQuestion,
    StageRecord,
    SupportPlace,
)
from mabench.scoring import RULES
from mabench.text.spans import cut_excerpt

_heading = partial(Text, style="bold")
# Characters of a passage that are shown on each side of a gold answer, in full and in brief.
_AROUND = 300
_AROUND_BRIEFLY = 60
# Characters that are shown of a statement, of the end of a prompt, and of a judge's own words.
_LONGEST_SUPPORT = 400
_LONGEST_PROMPT = 4_000
_LONGEST_WORDS = 2_000
# How many places of golds are listed, and how many passages that hold nothing.
_MOST_GOLDS = 10
_FIRST_PASSAGES = 3


def describe_answer(question: ScoredQuestion, *, full: bool = False) -> Iterator[Text]:
    """Yield the lines of a question of a run: shortened, unless in ``full``."""
    sample, background = question.sample, question.background
    yield _heading(f"{sample.source}, row {sample.row}, question {sample.question_index}")
    yield from format_facts(_question_facts(sample))
    yield from _describe_support(question)
    yield from _describe_passages(sample, background, full=full)
    yield Text("")
    yield from format_facts(_answer_facts(sample))
    yield from format_facts(_score_facts(question))
    yield from _describe_golds(background, full=full)
    if background.prompt is not None and full:
        yield from _describe_prompt(background.prompt)
    if background.without:
        yield Text(f"\nThe history is not shown: {background.without}.")


def format_facts(facts: Iterable[tuple[str, str]]) -> Iterator[Text]:
    """Return a line for each fact, a name and a text, with its name in bold."""
    return (Text.assemble((f"{name}: ", "bold"), text) for name, text in facts)


def _describe_prompt(prompt: str) -> Iterator[Text]:
    """Yield the end of what a language model was shown, where the question is."""
    omitted = len(prompt) - _LONGEST_PROMPT
    how_much = f" (its end; {omitted:,} characters before it are omitted)" if omitted > 0 else ""
    yield _heading(f"\nWhat the model saw{how_much}:")
    yield Text(prompt[-_LONGEST_PROMPT:])


def _question_facts(sample: Sample) -> Iterator[tuple[str, str]]:
    """Yield the question, and its type and the time at which it was asked, if it has any."""
    yield "Question", sample.question
    if sample.question_type:
        yield "Type", sample.question_type
    if sample.asked_after:
        yield "Asked after", f"{sample.asked_after}, before the rest of the history was memorized"


def _describe_support(question: ScoredQuestion) -> Iterator[Text]:
    """Yield what the answer rests on, where it was told, and whether it was retrieved.

    If the data do not say what it rests on, the first mention of a gold takes its place.
    """
    sample, background = question.sample, question.background
    support = background.support or ()
    for statement in support:
        retrieved = _rank_words(sample, statement.rank)
        place = _support_place(statement, background.chunks)
        yield Text.assemble(
            ("\nThe answer rests on", "bold"),
            f"{retrieved}: {place}'{_shorten(statement.text)}'",
        )
    if support or not background.golds:
        return
    first_mention = background.golds[0]
    retrieved = _rank_words(sample, sample.hit_rank)
    place = _place_words(first_mention.chunk, first_mention.depth, background.chunks)
    yield Text.assemble(("\nThe gold is mentioned", "bold"), f"{retrieved} in {place}")
    if first_mention.text is not None:
        yield mark_spans(first_mention.text, first_mention.marks)


def _rank_words(sample: Sample, rank: int | None) -> str:
    """Return whether something was retrieved, and at which rank; empty if the run does not tell.

    ``rank`` is from 1; 0 or None if no passage holds it.
    """
    if rank:
        return f" (retrieved, rank {rank})"
    is_known = sample.shown_tokens is not None and sample.hit_by is not None
    return " (not retrieved)" if is_known else ""


def _support_place(statement: SupportPlace, chunks: int | None) -> str:
    """Return where a statement was told, before its text; empty if that is unknown.

    ``chunks`` is how many chunks the history has.
    """
    if statement.chunk is None:
        return ""
    return f"{_place_words(statement.chunk, statement.depth, chunks)}: "


def _place_words(chunk: int, depth: float | None, chunks: int | None) -> str:
    """Return a place in a history, such as ``chunk 3 of 12, at 17 % of the history``.

    Args:
        chunk: the index of the chunk, from 0.
        depth: where the chunk begins, in percent of the history; None if unknown.
        chunks: how many chunks the history has; None if unknown.
    """
    of_chunks = f" of {chunks}" if chunks else ""
    at_depth = "" if depth is None else f", at {write_number(depth, '.0f')} % of the history"
    return f"chunk {chunk + 1}{of_chunks}{at_depth}"


def _shorten(statement: str) -> str:
    """Return a statement on one line, with a mark where a long one is cut."""
    one_line = " ".join(statement.split())
    if len(one_line) <= _LONGEST_SUPPORT:
        return one_line
    return f"{one_line[:_LONGEST_SUPPORT]}…"


def _describe_passages(sample: Sample, background: Background, *, full: bool) -> Iterator[Text]:
    """Yield the retrieved passages: all of them in ``full``, else the first and the hits.

    Nothing is yielded if the agent does not report what it retrieved.
    """
    passages = background.passages
    if not passages:
        reports_passages = sample.shown_tokens is not None or sample.retrieved
        if reports_passages:
            yield _heading("\nNothing was retrieved.")
        return
    yield _heading(f"\nRetrieved, best first ({len(passages)}):")
    if all(passage.text is None for passage in passages):  # The history cannot be read.
        chunks = [passage.chunk for passage in passages if passage.chunk is not None]
        yield Text(f"  chunks {', '.join(f'{chunk + 1}' for chunk in chunks)}")
        return
    left_out = 0
    for passage in passages:
        is_hit = passage.evidence or passage.marks
        if full or is_hit or passage.rank <= _FIRST_PASSAGES:
            yield from _describe_passage(passage, full=full)
        else:
            left_out += 1
    if left_out:
        yield Text(f"  and {left_out} more, in the full view")


def _describe_passage(passage: ReadPassage, *, full: bool) -> Iterator[Text]:
    """Yield the rank of a passage with what it holds, and an excerpt if its text is known."""
    chunk = "" if passage.chunk is None else f", chunk {passage.chunk + 1}"
    score = "" if passage.score is None else f", score {passage.score:.4g}"
    holds = ", holds what the answer rests on" if passage.evidence else ""
    holds += ", mentions the gold" if passage.marks else ""
    yield Text(f"  {passage.rank}{chunk}{score}{holds}", style="bold" if holds else "")
    if passage.text is not None:
        around = _AROUND if full else _AROUND_BRIEFLY
        excerpt, marks = cut_excerpt(passage.text, passage.marks, around)
        if not full:  # A space for each line break leaves the marks where they are.
            excerpt = excerpt.replace("\n", " ")
        yield mark_spans(excerpt, marks)


def _describe_golds(background: Background, *, full: bool) -> Iterator[Text]:
    """Yield where the gold answers are in the history; only how many places, unless in full.

    Nothing is yielded if golds are not to be found in the history, such as labels.
    """
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
    """Yield how the answer was scored and judged, what was seen of its support, and its costs."""
    sample = question.sample
    yield "Outcome", PARTS[question.part].describe(sample.hit_by)
    yield "Official", f"{question.metric} {_score(question.official)}"
    rule = RULES.get(question.rule or "")  # What the corrected score found, in words.
    corrected = (_score(question.corrected), question.verdict, rule)
    yield "Corrected", ", ".join(words for words in corrected if words)
    for judgment in question.background.judgments:
        yield from _judgment_facts(judgment)
    if sample.evidence_ranks is not None and len(sample.evidence_ranks) > 1:
        retrieved = sum(rank is not None for rank in sample.evidence_ranks)
        yield "Evidence", f"{retrieved} of {len(sample.evidence_ranks)} statements retrieved"
    if question.seen is not None:
        yield "In the memory", describe_support(question.seen)
    yield from _cost_facts(question)


def _judgment_facts(judgment: Judgment) -> Iterator[tuple[str, str]]:
    """Yield the verdict of a judge on the answer, and the judge's own words if they are known."""
    verdict = (f"{name} {value}" for name, value in (judgment.verdict or {}).items())
    reply = judgment.error or ", ".join(verdict)
    yield f"Judge {judgment.model}", f"{_score(judgment.value)} ({reply})"
    if judgment.words:
        requests = judgment.requests or 1
        when = "" if requests == 1 else f", after {requests} requests"
        yield f"{judgment.model} wrote{when}", judgment.words[:_LONGEST_WORDS]


def _cost_facts(question: ScoredQuestion) -> Iterator[tuple[str, str]]:
    """Yield what the answer took, and the calls of models that were made for it."""
    background = question.background
    yield "Took", ", ".join(_list_expenses(question))
    for model, totals in (background.calls or {}).items():
        yield f"Calls of {model}", ", ".join(_list_totals(totals))
    if background.shared_calls:
        calls = f"{background.shared_calls:,} of its row"
        yield "Other calls", f"{calls}, made while several questions were being answered"


# What the memory's store holds of a question's support, in words.
_HELD = {
    "whole": "its support is in the store",
    "changed": "the store holds its support as something else",
    "none": "its support is not in the store",
    "unclear": "whether the store holds its support is unclear",
    None: "whether the store holds its support is unknown",
}
# What it held of it right after it was told.
_HELD_FIRST = {
    "whole": "where it was once",
    "changed": "where it was something else from the beginning",
    "none": "where it never was",
    "unclear": "where it may have been",
}


def describe_support(seen: StageRecord) -> str:
    """Return in words what was seen of a question's support in the memory's store."""
    if seen.error is not None:
        return f"not looked at: {seen.error}"
    observed = [_HELD[seen.held]]
    if seen.held != "whole" and seen.held_first is not None:
        observed.append(_HELD_FIRST[seen.held_first])
    if seen.records is not None:
        cut = ", visibly not all" if seen.list_cut else ""
        observed.append(f"{write_count(seen.records, 'record')} listed{cut}")
    if seen.rank == 0:  # A search was made and did not find it; None if none was made.
        observed.append(f"not among {seen.depth} passages of a deeper search")
    elif seen.rank is not None:
        observed.append(f"rank {seen.rank} of a search for {seen.depth}")
    if seen.shown is False:
        observed.append("what was returned of it was cut off")
    return ", ".join(observed)


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
    """Yield how many calls there were, their tokens, dollars and seconds, without counts of 0."""
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
    """Return the golds of a question as one text, each once."""
    return " | ".join(dict.fromkeys(sample.answers))


def _score(score: float | bool | None) -> str:
    """Return a score from 0 to 1, or a verdict, as a number of three digits."""
    return "no score" if score is None else f"{float(score):.3g}"


def mark_spans(text: str, marks: Sequence[tuple[int, int]]) -> Text:
    """Return an indented text in which some spans are bold, and in brackets where nothing can be.

    ``marks`` are the start and end of each span, in the order of the text and apart.
    """
    marked = Text("    ")
    end_of_last = 0
    for start, end in marks:
        marked.append(text[end_of_last:start])
        marked.append(f"[{text[start:end]}]", style="bold reverse")
        end_of_last = end
    return marked.append(text[end_of_last:])
