"""The page of a data set, as HTML: what it holds, its histories as strips, and every question."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from statistics import fmean, median
from urllib.parse import quote

from mabench.data import Dataset
from mabench.errors import UsageError
from mabench.injection import protocol_named
from mabench.loading import catalogue_of
from mabench.page.charts import Dot, draw_rows, log_scale
from mabench.page.data_questions import KINDS, DataQuestion, DataRow, pack_rows, read_row
from mabench.page.document import (
    Chart,
    Explorer,
    Menu,
    Section,
    Tile,
    menu_of_sources,
    render,
    require_packages,
)
from mabench.page.strips import SourceHistories, Strip, draw_strip
from mabench.progress import NoProgress, Progress
from mabench.reports.layout import Titles
from mabench.reports.listings import contents_remarks, contents_tables
from mabench.reports.remarks import leak_remarks
from mabench.reports.tables import Column, plain_columns, tabulate
from mabench.text.marks import Span

_LEFT_OUT = (
    "Whole histories are left out: of each, the page has the text around the first ten places of a "
    "kind for every question."
)


def data_page(
    dataset: Dataset,
    protocol: str = "structured",
    progress: Progress | None = None,
    *,
    offline: bool = False,
) -> str:
    """Return the page of a data set.

    Args:
        dataset: what ``mabench.load`` returns; it is read twice at most.
        protocol: the protocol whose chunks are marked.
        progress: is told of each row.
        offline: never fetch the tokenizer data that published protocols take.

    Raises:
        UsageError: when the protocol or a source is unknown, or there are no questions.
        DataError: when a row cannot be read.
        MissingPackageError: when a package is missing.
    """
    require_packages()
    cut = partial(protocol_named(protocol).chunks, offline=offline)
    progress, catalogue = progress or NoProgress(), catalogue_of(dataset, None)
    rows, contents = list[DataRow](), dataset.contents
    progress.start("rows", len(dataset), note="looking for golds, evidence and doubts")
    for row in dataset.rows():
        rows.append(read_row(row, dataset.sources, cut, catalogue))
        progress.advance("rows", row.source)
    questions = _questions(rows)
    if not questions:
        raise UsageError(f"{dataset.name}: no questions; a page takes one at least")
    by_source: dict[str, list[DataRow]] = {}
    for row in rows:
        by_source.setdefault(row.source, []).append(row)
    tokens, titles = sum(part.tokens for part in contents), dataset.titles
    settings = {
        "data": dataset.name,
        "data from": dataset.location,
        "revision": dataset.revision,
        "protocol": protocol,
    }
    table = [(name, value) for name, value in settings.items() if value]
    return render(
        title=dataset.name,
        subtitle=f"A data set, with the chunks of protocol {protocol}",
        tiles=[
            *_tiles(rows, len(by_source), questions),
            Tile("Tokens", f"{tokens / 1e6:,.1f} M", "about"),
        ],
        runs=(),
        sections=[
            Section(
                "inventory",
                "Inventory",
                ["What there is, of what the public data set has."],
                tables=contents_tables(contents),
                notes=contents_remarks(dataset),
            ),
            _sources(by_source, titles),
            _histories(by_source, protocol),
        ],
        settings=Section(
            "settings",
            "Settings",
            tables=[tabulate(plain_columns(("Setting", "Value"), texts=(0, 1)), table)],
            notes=[_LEFT_OUT],
        ),
        titles=titles,
        explorer=Explorer(
            script="data.js",
            style="data.css",
            data=pack_rows(rows),
            about={"titles": titles, "kinds": [*KINDS]},
            total=len(questions),
            columns=["Question", "Gold", "Places", "Flags"],
            menus=[
                menu_of_sources(by_source, titles),
                *_menu("type", "Type", (one.view.question.question_type for one in questions)),
                *_menu("flag", "Flag", (flag for one in questions for flag, _ in one.flags)),
            ],
            texts="in questions and golds",
            notes=[_LEFT_OUT],
        ),
    )


def _menu(name: str, label: str, values: Iterable[str | None]) -> list[Menu]:
    """Return a menu of what questions have, or nothing where none has any."""
    options = {value: value for value in sorted({value for value in values if value})}
    return [Menu(name, label, "any", {**options, "*": "some", "-": "none"})] if options else []


def _tiles(
    rows: Sequence[DataRow], sources: int, questions: Sequence[DataQuestion]
) -> Iterator[Tile]:
    yield Tile("Rows", f"{len(rows):,}", f"of {sources} sources")
    yield Tile("Questions", f"{len(questions):,}")
    sought = [one.marks["golds"] for one in questions if "golds" in one.marks]
    if sought:
        share = 100 * sum(map(bool, sought)) / len(sought)
        yield Tile("Gold in the history", f"{share:.1f} %", f"of {len(sought):,} taken from it")
    yield Tile("Doubtful", f"{sum(bool(one.flags) for one in questions):,}", "by the audit")


def _questions(rows: Sequence[DataRow]) -> list[DataQuestion]:
    return [question for row in rows for question in row.questions]


def _golds(rows: Sequence[DataRow]) -> list[int]:
    return [len(one.view.question.answers) for one in _questions(rows)] or [0]


def _places(rows: Sequence[DataRow]) -> list[int]:
    return [len(one.marks["golds"]) for one in _questions(rows) if "golds" in one.marks]


_OF_SOURCES: tuple[Column[Sequence[DataRow]], ...] = (
    Column("Source", lambda rows: rows[0].source),
    Column("Histories", len, ","),
    Column("Tokens, least", lambda rows: min(row.tokens for row in rows), ","),
    Column("Median", lambda rows: median(row.tokens for row in rows), ",.0f"),
    Column("Most", lambda rows: max(row.tokens for row in rows), ","),
    Column("Questions", lambda rows: len(_questions(rows)), ","),
    Column("Golds a question", lambda rows: fmean(_golds(rows)), ".1f"),
    Column("At most", lambda rows: max(_golds(rows)), ","),
    Column(
        "Places of a gold", lambda rows: median(each) if (each := _places(rows)) else None, ".0f"
    ),
    Column("Nowhere", lambda rows: each.count(0) if (each := _places(rows)) else None, ","),
    Column("Doubtful", lambda rows: sum(bool(one.flags) for one in _questions(rows)), ","),
)


def _sources(by_source: Mapping[str, Sequence[DataRow]], titles: Titles) -> Section:
    table = tabulate(_OF_SOURCES, by_source.values())
    dots = []
    for source, rows in by_source.items():
        tokens = [max(1, row.tokens) for row in rows]
        middle, label = median(tokens), titles.get(source, source)
        dots.append(
            Dot(label, "tokens", middle, new=(min(tokens), max(tokens)), text=f"{middle:,.0f}")
        )
    title = "Tokens of a history: the median, with a line from the shortest to the longest"
    chart = Chart(title, draw_rows(dots, log_scale("tokens, about", dots)), table)
    notes = [
        "Places of a gold: at how many places of its history the candidates of a question stand, "
        "in the median; nowhere: questions whose gold stands nowhere. Both are of questions whose "
        "golds are words of the history, not labels, options, ids or an annotator's words.",
    ]
    return Section("sources", "Sources", charts=[chart], notes=notes)


def _histories(by_source: Mapping[str, Sequence[DataRow]], protocol: str) -> Section:
    leaks = {source: rows[0].leak for source, rows in by_source.items()}
    sentence = (
        "Each strip is a history, its beginning on the left. Bars: where golds stand, where values "
        "that newer ones replaced do, and the evidence, with all of the session, document or fact "
        "that holds it; the more questions at a place, the higher. Ticks below: borders of the "
        f"chunks of protocol {protocol}."
    )
    return Section(
        "histories",
        "Histories",
        [sentence],
        notes=leak_remarks({source: leak for source, leak in leaks.items() if leak}),
        histories=[SourceHistories(name, [*map(_strip, rows)]) for name, rows in by_source.items()],
    )


def _strip(row: DataRow) -> Strip:
    facts = [f"about {row.tokens:,} tokens, {len(row.borders):,} chunks"]
    lanes: dict[str, list[Span]] = {}
    for kind in KINDS:
        marks = [spans for one in row.questions if (spans := one.marks.get(kind)) is not None]
        if lane := [span for spans in marks for span in spans]:
            lanes[kind] = lane
        if marks:
            places, of = len(lane), f"{sum(map(bool, marks)):,} of {len(row.questions):,} questions"
            facts.append(f"{kind} of {of} at {places:,} place{'s' * (places != 1)}")
    name, drawing = f"{row.split}/{row.index}", draw_strip(lanes, row.borders)
    address = quote(f"{name}/", safe="", errors="replace")
    return Strip(name, f"Row {row.index}", address, "; ".join(facts), drawing)
