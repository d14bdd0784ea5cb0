"""Reports about a data set: its contents, its chunks, and the questions that an audit flags."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from mabench.audit import Audit, GuessScores, QuestionPlaces, RepeatedSessions
from mabench.data import Dataset, Source
from mabench.data.contents import Contents, add_up, missing_sources
from mabench.families import family_of
from mabench.injection import RowChunks
from mabench.printable import write_count
from mabench.reports.report import Report
from mabench.reports.sentences import say
from mabench.reports.tables import NONE, Column, Table, Value, plain_table, tabulate
from mabench.results import Measure

# Why a gold is doubtful, by the name of the check that says so.
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
# Of how many reasons the sentence above an audit says how often they hold.
_MOST_REASONS = 2


def contents_report(dataset: Dataset, *, brief: bool = False) -> Report:
    """Return what a data set contains by split and source, and what it lacks.

    If ``brief``, a sentence comes first, and one table, by source.
    """
    contents, entities = dataset.contents, dataset.entities
    of_splits = tabulate(_SPLIT_COLUMNS, add_up(contents, by_split=True))
    names = [str(part.source) for part in contents]
    unknown = [name for name in names if name not in dataset.sources]
    lines = [f"unknown source, declared nowhere: {', '.join(unknown)}"] if unknown else []
    missing = missing_sources(contents)
    if missing:
        lines.append(f"no rows of: {', '.join(missing)}")
    lines.append(f"fields: {'; '.join(_describe_fields(contents))}")
    if entities is not None:
        lines.append(f"entities: {len(entities):,}")
    elif any(family_of(n, dataset.sources).needs_entities for n in names if n not in unknown):
        lines.append("no entity file")
    lines.append(f"fingerprint: {dataset.fingerprint}")
    of_sources = tabulate(_SOURCE_COLUMNS, contents)
    if brief:
        return Report(first=[_contents_sentence(dataset)], tables=[of_sources], remarks=lines)
    return Report(tables=[of_splits, of_sources], remarks=lines)


def _describe_fields(contents: Sequence[Contents]) -> Iterator[str]:
    """Yield fields with the sources that have them, such as ``dates, ids in all``."""
    fields_of: dict[tuple[str, ...], list[str]] = {}  # Fields, by the sources that have them.
    for field in dict.fromkeys(field for part in contents for field in part.fields):
        sources = tuple(str(part.source) for part in contents if field in part.fields)
        fields_of.setdefault(sources, []).append(field)
    for sources, fields in fields_of.items():
        where = "all" if len(sources) == len(contents) else ", ".join(sources)
        yield f"{', '.join(fields)} in {where}"


def sources_table(sources: Iterable[Source]) -> Table:
    """Return a table of the benchmark's sources, with the metric that the paper reports."""
    return tabulate(_SOURCES, sources)


def places_table(views: Iterable[QuestionPlaces]) -> Table:
    """Return a table of questions, with how many places of their histories hold a gold."""
    return tabulate(_PLACES, views)


def chunks_table(listed: Iterable[RowChunks]) -> Table:
    """Return a table with a line for each chunk of each row."""
    rows = (
        (row.source, row.row, number, length, digest)
        for row in listed
        for number, (length, digest) in enumerate(zip(row.lengths, row.sha256, strict=True))
    )
    return plain_table(("Source", "Row", "Chunk", "Characters", "SHA-256"), rows)


def audit_sentence(audit: Audit) -> str:
    """Return how many questions have doubtful golds, why most do, and what can be reached."""
    of = f"Of {write_count(audit.questions, 'question')}"
    flagged = len({flag[:3] for flag in audit.flags})
    low = {source: score for source, score in audit.ceilings().items() if score < 100}
    reached = "".join(
        f" A memory that follows the rule of {source} gets at most {score:.1f} there."
        for source, score in low.items()
    )
    if not flagged:
        return f"{of}, none has a gold that is doubtful by our checks.{reached}"
    counts = [(reason, count) for reason, count in audit.counts().items() if count]
    counts = sorted(counts, key=lambda one: -one[1])[:_MOST_REASONS]
    words = [_REASONS.get(reason, reason) for reason, _ in counts]
    if len(counts) > 1:
        words = [f"of {count:,}, {said}" for (_, count), said in zip(counts, words, strict=True)]
    why = "; ".join(words)
    have = "has a doubtful gold" if flagged == 1 else "have doubtful golds"
    return f"{of}, {flagged:,} {have}: {why}.{reached}"


def repeat_remarks(repeats: Mapping[str, RepeatedSessions]) -> list[str]:
    """Return a sentence for each source that tells sessions twice in a history."""
    return [
        say(
            "repeated",
            source=source,
            repeated=f"{one.repeated:,} of {write_count(one.sessions, 'session')}",
            repeat="repeats" if one.repeated == 1 else "repeat",
            histories=write_count(one.histories, "history"),
            place=f"{one.session} and {one.first} of row {one.row} in {one.split}",
        )
        for source, one in repeats.items()
    ]


def guess_remarks(guesses: Mapping[str, GuessScores]) -> list[str]:
    """Return a sentence for each source whose right options guesses find more than by chance."""
    return [
        say(
            "guesses",
            source=source,
            questions=write_count(one.questions, "question"),
            longest=one.longest,
            letter=max(one.letters, key=one.letters.__getitem__),
            most=max(one.letters.values()),
            chance=one.chance,
        )
        for source, one in guesses.items()
        if one.uneven
    ]


def _contents_sentence(dataset: Dataset) -> str:
    """Return how much a data set holds, and how much of the benchmark it lacks."""
    contents = dataset.contents
    rows, questions, tokens = (
        sum(getattr(part, name) for part in contents) for name in ("rows", "questions", "tokens")
    )
    sources = write_count(len({part.source for part in contents}), "source")
    told = f"{write_count(rows, 'history')} of {sources}, about {tokens:,} tokens in all"
    asked = f"{dataset.name} holds {write_count(questions, 'question')} about {told}"
    missing = missing_sources(contents)
    lacks = f"; it lacks {write_count(len(missing), 'source')} of the benchmark" if missing else ""
    return f"{asked}{lacks}."


def audit_tables(audit: Audit, *, brief: bool = False) -> list[Table]:
    """Return tables of the flagged questions, their number by reason, and the best scores.

    The best score is what a perfect memory can get under the official rule. If ``brief``, only
    what ``audit_sentence`` leaves open.
    """
    titles = ("Source", "Row", "Question", "Reason", "Detail")
    rows = [(f.source, f.row, f.question_index, f.reason, f.detail) for f in audit.flags]
    flagged = len({flag[:3] for flag in audit.flags})
    counts = [*audit.counts().items(), (f"flagged, of {audit.questions} questions", flagged)]
    tables = [plain_table(titles, rows), plain_table(("Reason", "Questions"), counts)]
    if brief:
        known = [(reason, number) for reason, number in counts if number]
        has_more = len(known) - 1 > _MOST_REASONS
        return [*tables[: len(rows) > 0], *[plain_table(("Reason", "Questions"), known)] * has_more]
    ceilings = audit.ceilings()
    if ceilings:
        best = [(source, Measure(score)) for source, score in ceilings.items()]
        tables.append(plain_table(("Source", "Best score under the rule"), best))
    return tables


def _count_rows(part: Contents) -> Value:
    """Return the number of rows, with that of the public data set if it has the source."""
    return f"{part.rows:,} of {part.official[0]:,}" if part.official else f"{part.rows:,}"


def _count_questions(part: Contents) -> Value:
    """Return the number of questions, with that of the public data set if it has the source."""
    return f"{part.questions:,} of {part.official[1]:,}" if part.official else f"{part.questions:,}"


_COUNT_COLUMNS: tuple[Column[Contents], ...] = (
    Column("Rows", _count_rows, ""),
    Column("Questions", _count_questions, ""),
    Column("Answers", lambda part: part.answers, ",", drop_rank=lambda parts: 1),
)
_SPLIT_COLUMNS: tuple[Column[Contents], ...] = (
    Column("Split", lambda part: part.split),
    *_COUNT_COLUMNS,
    Column("Tokens, about", lambda part: part.tokens, ","),
)
_SOURCE_COLUMNS: tuple[Column[Contents], ...] = (
    Column("Source", lambda part: part.source or NONE),
    *_COUNT_COLUMNS,
    Column("Tokens a row", lambda part: part.tokens_a_row, ","),
    Column("Golds a question", lambda p: p.answers / max(p.questions, 1), ".1f", formats=["page"]),
)
_SOURCES: tuple[Column[Source], ...] = (
    Column("Source", lambda source: source.name),
    Column("Split", lambda source: source.split),
    Column("Column", lambda source: source.column),
    Column("Metric", lambda source: family_of(source.name).metric),
    Column("Rows", lambda source: source.rows, ""),
    Column("Questions", lambda source: source.questions, ""),
    Column("Tokens", lambda source: source.context_tokens, ","),  # Of o200k_base.
    Column("Limit", lambda source: source.context_limit, ","),
)
_PLACES: tuple[Column[QuestionPlaces], ...] = (
    Column("Source", lambda view: view.question.source),
    Column("Row", lambda view: view.question.row, ""),
    Column("Question", lambda view: view.question.question_index, ""),
    Column("Text", lambda view: view.question.question),
    Column("Golds", lambda view: " | ".join(gold.text for gold in view.golds.candidates)),
    Column("Places", lambda view: None if view.places is None else len(view.places), ""),
)
