"""Reports about a data set: its contents, its chunks, and the questions that an audit flags.

``Contents`` say how many rows, questions, golds and tokens there are of a source, or of a split.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from mabench.audit import Audit, Flag, GuessScores, QuestionPlaces, RepeatedSessions
from mabench.data import Dataset, Source
from mabench.data.contents import Contents, add_up, missing_sources
from mabench.families import family_of
from mabench.injection import RowChunks
from mabench.printable import write_count
from mabench.reports.report import Report
from mabench.reports.sentences import say
from mabench.reports.tables import NONE, Column, Table, Value, plain_table, tabulate
from mabench.results import Measure

# Why a gold is doubtful, by the name of the reason that an audit gives.
_REASONS = {
    "gold-empty": "nothing is left of the gold without articles and signs",
    "asked-twice": "the same question has several golds",
    "gold-absent": "no gold occurs in the history",
    "candidates-contradict": "the golds contradict each other",
    "no-gold-turn": "no turn is marked as the one that holds the answer",
    "gold-not-offered": "the gold is none of the options",
    "text-shown": "the text that is asked about is in the history",
    "entity-unknown": "an entity of the gold is not known",
    "gold-already-named": "the dialogue names the gold before it is asked for",
    "gold-superseded": "a later fact replaces the gold",
}
# How many reasons the sentence above an audit names, the most frequent ones.
_MOST_REASONS = 2


def contents_report(dataset: Dataset, *, brief: bool = False) -> Report:
    """Return what a data set contains by split and source, and what it lacks.

    If ``brief``, a sentence comes first, and one table, by source.
    """
    by_source = tabulate(_SOURCE_COLUMNS, dataset.contents)
    remarks = [*_contents_remarks(dataset)]
    if brief:
        return Report(first=[_contents_sentence(dataset)], tables=[by_source], remarks=remarks)
    by_split = tabulate(_SPLIT_COLUMNS, add_up(dataset.contents, by_split=True))
    return Report(tables=[by_split, by_source], remarks=remarks)


def _contents_remarks(dataset: Dataset) -> Iterator[str]:
    """Yield which sources are unknown or missing, and which fields and entities there are.

    The last line is the fingerprint of the data.
    """
    names = [str(contents.source) for contents in dataset.contents]
    known = [name for name in names if name in dataset.sources]
    unknown = [name for name in names if name not in dataset.sources]
    if unknown:
        yield f"unknown source, declared nowhere: {', '.join(unknown)}"
    missing = missing_sources(dataset.contents)
    if missing:
        yield f"no rows of: {', '.join(missing)}"
    yield f"fields: {'; '.join(_describe_fields(dataset.contents))}"
    if dataset.entities is not None:
        yield f"entities: {len(dataset.entities):,}"
    elif any(family_of(name, dataset.sources).needs_entities for name in known):
        yield "no entity file"
    yield f"fingerprint: {dataset.fingerprint}"


def _describe_fields(by_source: Sequence[Contents]) -> Iterator[str]:
    """Yield the optional fields of rows with the sources that have them: ``dates, ids in all``.

    Fields that the same sources have come together.
    """
    all_fields = dict.fromkeys(field for contents in by_source for field in contents.fields)
    fields_by_sources: dict[tuple[str, ...], list[str]] = {}
    for field in all_fields:
        sources = tuple(str(one.source) for one in by_source if field in one.fields)
        fields_by_sources.setdefault(sources, []).append(field)
    for sources, fields in fields_by_sources.items():
        where = "all" if len(sources) == len(by_source) else ", ".join(sources)
        yield f"{', '.join(fields)} in {where}"


def sources_table(sources: Iterable[Source]) -> Table:
    """Return a table of the benchmark's sources, with the metric that the paper reports."""
    return tabulate(_INVENTORY_COLUMNS, sources)


def places_table(questions: Iterable[QuestionPlaces]) -> Table:
    """Return a table of questions, with how many places of their histories hold a gold."""
    return tabulate(_PLACE_COLUMNS, questions)


def chunks_table(chunks_of_rows: Iterable[RowChunks]) -> Table:
    """Return a table with a line for each chunk of each row of a data set."""
    lines = [
        (row.source, row.row, number, length, digest)
        for row in chunks_of_rows
        for number, (length, digest) in enumerate(zip(row.lengths, row.sha256, strict=True))
    ]
    return plain_table(("Source", "Row", "Chunk", "Characters", "SHA-256"), lines)


def audit_sentence(audit: Audit) -> str:
    """Return how many questions have doubtful golds, why most do, and what can be reached."""
    questions = write_count(audit.questions, "question")
    flagged = _count_flagged(audit.flags)
    highest_scores = "".join(
        f" A memory that follows the rule of {source} gets at most {score:.1f} there."
        for source, score in audit.ceilings().items()
        if score < 100
    )
    if not flagged:
        return f"Of {questions}, none has a gold that is doubtful by our checks.{highest_scores}"
    have = "has a doubtful gold" if flagged == 1 else "have doubtful golds"
    return f"Of {questions}, {flagged:,} {have}: {_commonest_reasons(audit)}.{highest_scores}"


def _count_flagged(flags: Sequence[Flag]) -> int:
    """Return how many questions have a flag or more."""
    return len({(flag.split, flag.row, flag.question_index) for flag in flags})


def _commonest_reasons(audit: Audit) -> str:
    """Return in words why most golds are doubtful, each reason with the number of questions.

    If there is only one reason, its number is left out.
    """
    counts = [(reason, count) for reason, count in audit.counts().items() if count]
    counts.sort(key=lambda reason_and_count: reason_and_count[1], reverse=True)
    if len(counts) == 1:
        [(only_reason, _)] = counts
        return _REASONS.get(only_reason, only_reason)
    return "; ".join(
        f"of {count:,}, {_REASONS.get(reason, reason)}" for reason, count in counts[:_MOST_REASONS]
    )


def repeat_remarks(repeats: Mapping[str, RepeatedSessions]) -> list[str]:
    """Return a sentence for each source that tells sessions twice in a history.

    ``repeats`` has, by source, how many of its sessions are repeated, and the first of them.
    """
    return [
        say(
            "repeated",
            source=source,
            repeated=f"{found.repeated:,} of {write_count(found.sessions, 'session')}",
            repeat="repeats" if found.repeated == 1 else "repeat",
            histories=write_count(found.histories, "history"),
            place=f"{found.session} and {found.first} of row {found.row} in {found.split}",
        )
        for source, found in repeats.items()
    ]


def guess_remarks(guesses: Mapping[str, GuessScores]) -> list[str]:
    """Return a sentence for each source whose right options guesses find more than by chance.

    ``guesses`` has, by source, the scores in percent of always choosing the longest option, of
    always choosing each letter, and of a random choice.
    """
    remarks = []
    for source, scores in guesses.items():
        if scores.uneven:
            best_letter = max(scores.letters, key=lambda letter: scores.letters[letter])
            remark = say(
                "guesses",
                source=source,
                questions=write_count(scores.questions, "question"),
                longest=scores.longest,
                letter=best_letter,
                most=scores.letters[best_letter],
                chance=scores.chance,
            )
            remarks.append(remark)
    return remarks


def _contents_sentence(dataset: Dataset) -> str:
    """Return how much a data set holds, and how much of the benchmark it lacks."""
    by_source = dataset.contents
    questions = write_count(sum(contents.questions for contents in by_source), "question")
    histories = write_count(sum(contents.rows for contents in by_source), "history")
    sources = write_count(len({contents.source for contents in by_source}), "source")
    tokens = sum(contents.tokens for contents in by_source)
    missing = missing_sources(by_source)
    lacks = f"; it lacks {write_count(len(missing), 'source')} of the benchmark" if missing else ""
    return (
        f"{dataset.name} holds {questions} about {histories} of {sources}, "
        f"about {tokens:,} tokens in all{lacks}."
    )


def audit_tables(audit: Audit, *, brief: bool = False) -> list[Table]:
    """Return tables of the flagged questions, their number by reason, and the best scores.

    The best score is what a perfect memory can get under the official rule. If ``brief``, only
    what ``audit_sentence`` leaves open: the flagged questions, and the reasons if it names not all.
    """
    if brief:
        tables = [_flags_table(audit)] if audit.flags else []
        counts = {reason: count for reason, count in audit.counts().items() if count}
        if len(counts) > _MOST_REASONS:
            tables.append(_reasons_table(audit, counts))
        return tables
    tables = [_flags_table(audit), _reasons_table(audit, audit.counts())]
    ceilings = audit.ceilings()
    if ceilings:
        best_scores = [(source, Measure(score)) for source, score in ceilings.items()]
        tables.append(plain_table(("Source", "Best score under the rule"), best_scores))
    return tables


def _flags_table(audit: Audit) -> Table:
    """Return a table with a row for each flag; a question may have several."""
    titles = ("Source", "Row", "Question", "Reason", "Detail")
    rows = [
        (flag.source, flag.row, flag.question_index, flag.reason, flag.detail)
        for flag in audit.flags
    ]
    return plain_table(titles, rows)


def _reasons_table(audit: Audit, counts: Mapping[str, int]) -> Table:
    """Return a table of how many questions each reason flags, and of all that are flagged."""
    flagged = _count_flagged(audit.flags)
    all_flagged = (f"flagged, of {audit.questions} questions", flagged)
    return plain_table(("Reason", "Questions"), [*counts.items(), all_flagged])


def _count_rows(contents: Contents) -> Value:
    """Return the number of rows, with that of the public data set if it has the source."""
    if not contents.official:
        return f"{contents.rows:,}"
    official_rows, _ = contents.official
    return f"{contents.rows:,} of {official_rows:,}"


def _count_questions(contents: Contents) -> Value:
    """Return the number of questions, with that of the public data set if it has the source."""
    if not contents.official:
        return f"{contents.questions:,}"
    _, official_questions = contents.official
    return f"{contents.questions:,} of {official_questions:,}"


def _count_golds_of_question(contents: Contents) -> Value:
    """Return how many gold answers a question has on average."""
    return contents.answers / max(contents.questions, 1)


def _count_places(question: QuestionPlaces) -> Value:
    """Return how many places of its history hold a gold; None if none can be looked for."""
    return None if question.places is None else len(question.places)


_COUNT_COLUMNS: tuple[Column[Contents], ...] = (
    Column("Rows", _count_rows, spec=""),
    Column("Questions", _count_questions, spec=""),
    Column("Answers", lambda contents: contents.answers, spec=",", drop_rank=lambda _: 1),
)
_SPLIT_COLUMNS: tuple[Column[Contents], ...] = (
    Column("Split", lambda contents: contents.split),
    *_COUNT_COLUMNS,
    Column("Tokens, about", lambda contents: contents.tokens, spec=","),
)
_SOURCE_COLUMNS: tuple[Column[Contents], ...] = (
    Column("Source", lambda contents: contents.source or NONE),
    *_COUNT_COLUMNS,
    Column("Tokens a row", lambda contents: contents.tokens_a_row, spec=","),
    Column("Golds a question", _count_golds_of_question, spec=".1f", formats=["page"]),
)
_INVENTORY_COLUMNS: tuple[Column[Source], ...] = (
    Column("Source", lambda source: source.name),
    Column("Split", lambda source: source.split),
    Column("Column", lambda source: source.column),
    Column("Metric", lambda source: family_of(source.name).metric),
    Column("Rows", lambda source: source.rows, spec=""),
    Column("Questions", lambda source: source.questions, spec=""),
    Column("Tokens", lambda source: source.context_tokens, spec=","),  # Of o200k_base.
    Column("Limit", lambda source: source.context_limit, spec=","),
)
_PLACE_COLUMNS: tuple[Column[QuestionPlaces], ...] = (
    Column("Source", lambda places: places.question.source),
    Column("Row", lambda places: places.question.row, spec=""),
    Column("Question", lambda places: places.question.question_index, spec=""),
    Column("Text", lambda places: places.question.question),
    Column("Golds", lambda places: " | ".join(gold.text for gold in places.golds.candidates)),
    Column("Places", _count_places, spec=""),
)
