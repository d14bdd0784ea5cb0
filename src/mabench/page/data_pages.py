"""The page of a data set as HTML: its inventory, its histories as strips, and every question."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import accumulate
from typing import Any, NamedTuple
from urllib.parse import quote

from mabench.audit import Place, QuestionPlaces, row_flags, row_places
from mabench.data import Dataset, Row, Source
from mabench.data.contents import Contents
from mabench.errors import UsageError
from mabench.families import Family, family_of
from mabench.injection import protocol_named
from mabench.loading import catalogue_of
from mabench.page import document as doc
from mabench.page.charts import Dot, Scale, draw_rows
from mabench.printable import write_count
from mabench.progress import Progress
from mabench.reports.data_reports import contents_report
from mabench.reports.sentences import say
from mabench.reports.tables import Column, tabulate
from mabench.scoring import Catalogue
from mabench.text import estimate_tokens
from mabench.text.spans import Span

# The size of the questions; with the strips the page has up to 12 MB.
_MOST_BYTES = 9_000_000
_LONGEST_TEXTS = (20_000, 4000, 1500, 500, 150)
_MOST_PLACES = 10
# The height of a lane of a strip, and the gap between two, as in page.html.
_LANE, _GAP = 22, 4
# The kinds of places, and the fields of ``QuestionPlaces`` that have them.
_KINDS = {"golds": "places", "older values": "older_values", "evidence": "evidence"}


class _PageRow(NamedTuple):
    """A row of the data."""

    name: str
    tokens: int
    borders: Sequence[int]  # Where chunks begin, in thousandths of the history.
    questions: Sequence[dict[str, Any]]

    def count_places(self, kind: str = "golds") -> list[int]:
        """Return the number of places of a kind for each question that can have some."""
        return [len(one["marks"][kind]) for one in self.questions if kind in one["marks"]]


def data_page(
    dataset: Dataset, progress: Progress, protocol: str = "structured", *, offline: bool = False
) -> str:
    """Return the page of a data set, with the chunks of a protocol.

    Raises:
        UsageError: when the protocol or a source is unknown, or there are no questions.
        DataError: when a row cannot be read.
        MissingPackageError: when a package is missing, or ``offline`` tokenizer data are.
    """
    doc.require_packages()
    cut = partial(protocol_named(protocol).chunks, offline=offline)
    contents, catalogue, rows = dataset.contents, catalogue_of(dataset), list[_PageRow]()
    progress.start("rows", len(dataset), note="looking for golds, evidence and doubts")
    strips: dict[str, list[dict[str, Any]]] = {}
    for row in dataset.rows():
        rows.append(_read_row(row, dataset.sources, cut, catalogue))
        strips.setdefault(row.source, []).append(_draw_strip(rows[-1]))
        progress.advance("rows", row.source)
    questions = [question for row in rows for question in row.questions]
    if not questions:
        raise UsageError(f"{dataset.name}: no questions; a page needs at least one")
    titles = dataset.titles
    drawn = [(titles.get(name, name), of) for name, of in strips.items()]
    explorer = {
        "script": "data.js",
        "data": doc.pack([*questions], _MOST_BYTES, _LONGEST_TEXTS),
        "about": {"titles": titles},
        "total": len(questions),
        "columns": ["Question", "Gold", "Places", "Flags"],
        "menus": [
            ("source", "Source", "all", {name: titles.get(name, name) for name in strips}),
            *_make_menu("type", "Type", (one["type"] for one in questions)),
            *_make_menu("flag", "Flag", (flag for one in questions for flag, _ in one["flags"])),
        ],
        "texts": "in questions and golds",
        "notes": [],
    }
    report = contents_report(dataset)
    sections = [
        doc.Section(
            "inventory", "Inventory", [say("inventory")], tables=report.tables, notes=report.remarks
        ),
        *_make_lengths(contents, titles),
        doc.Section("histories", "Histories", [say("strips", protocol=protocol)], strips=drawn),
    ]
    return doc.render(
        title=dataset.name,
        subtitle=f"data from {dataset.location or 'memory'}, protocol {protocol}",
        tiles=_make_tiles(rows, len(strips)),
        sections=sections,
        settings=doc.Section(
            "left-out", "What is left out", [say("left_out_of_page", places=_MOST_PLACES)]
        ),
        titles=titles,
        explorer=explorer,
    )


def _make_lengths(contents: Sequence[Contents], titles: Mapping[str, str]) -> Iterator[doc.Section]:
    known, dots = [part for part in contents if part.shortest], list[Dot]()
    for part in known:
        name, ends = str(part.source), (part.shortest, part.longest)
        text = "\N{EN DASH}".join(f"{end:,}" for end in ends[: part.rows])
        dots.append(Dot(titles.get(name, name), "mean", part.tokens_a_row, new=ends, text=text))
    columns: tuple[Column[Contents], ...] = (
        Column("Source", lambda part: part.source),
        Column("Mean", lambda part: part.tokens_a_row, ","),
        Column("Shortest", lambda part: part.shortest, ","),
        Column("Longest", lambda part: part.longest, ","),
    )
    if dots:
        scale = Scale.logarithmic("tokens of a history, on a logarithmic scale", dots)
        title = "Length of the histories: the mean, with a line from the shortest to the longest"
        chart = doc.Chart(title, draw_rows(dots, scale), tabulate(columns, known))
        yield doc.Section("lengths", "Lengths", charts=[chart])


def _read_row(
    row: Row,
    sources: Mapping[str, Source],
    cut: Callable[[Family, str], Sequence[str]],
    catalogue: Catalogue | None,
) -> _PageRow:
    family, length = family_of(row.source, sources), max(len(row.context), 1)
    starts = [0, *accumulate(len(chunk) for chunk in cut(family, row.context) if chunk)]
    units = [0, *accumulate(map(len, family.units(row.context)))]
    flags: dict[int, list[tuple[str, str]]] = defaultdict(list)
    for flag in row_flags(row, family, catalogue):
        flags[flag.question_index].append((flag.reason, flag.detail))

    def mark(place: Place, kind: str) -> Span:
        start, end = place.start, place.end
        if kind == "evidence":
            start = units[bisect_right(units, start) - 1]
            end = units[min(bisect_left(units, end), len(units) - 1)]
        return 1000 * start // length, 1000 * (end - start) // length

    titles = catalogue.titles if catalogue and family.needs_entities else lambda ids: []
    questions = []
    for index, view in enumerate(row_places(row, sources)):
        question: dict[str, Any] = _describe_question(view) | {"flags": flags[index], "marks": {}}
        for form, gold in zip(question["forms"], question["answers"], strict=True):
            form += titles([gold])
        for kind, places in _list_places(view):
            question["marks"][kind] = [mark(place, kind) for place in places]
        questions.append(question)
    borders = [1000 * start // max(starts[-1], 1) for start in starts[:-1]]
    name, tokens = f"{row.split}/{row.index}", estimate_tokens(row.context)
    return _PageRow(name, tokens, borders, questions)


def _list_places(view: QuestionPlaces) -> list[tuple[str, Sequence[Place]]]:
    return [(kind, view[field]) for kind, field in _KINDS.items() if view[field] is not None]


def _describe_question(view: QuestionPlaces) -> dict[str, Any]:
    asked, golds = view.question, view.golds.candidates
    return {
        "id": f"{asked.split}/{asked.row}/{asked.question_index}",
        "source": asked.source,
        "row": asked.row,
        "index": asked.question_index,
        "question": asked.question,
        "answers": [gold.text for gold in golds],
        "forms": [[gold.normalized, gold.doubt, *gold.alike] for gold in golds],
        "scored": f"{view.golds.metric}: {view.golds.rule}",
        "type": asked.question_type,
        "date": asked.question_date,
        "named": asked.question_id or asked.qa_pair_id,
        "texts": {
            kind: [
                [round(place.depth, 1), *doc.parts_of(place.text, place.marks, _LONGEST_TEXTS[2])]
                for place in places[:_MOST_PLACES]
            ]
            for kind, places in _list_places(view)
        },
    }


def _make_menu(name: str, label: str, values: Iterable[str | None]) -> list[tuple[object, ...]]:
    options = {value: value for value in sorted({value for value in values if value})}
    return [(name, label, "any", {**options, "*": "some", "-": "none"})] if options else []


def _make_tiles(rows: Sequence[_PageRow], sources: int) -> Iterator[doc.Tile]:
    yield doc.Tile("Rows", f"{len(rows):,}", f"of {write_count(sources, 'source')}")
    yield doc.Tile("Questions", f"{sum(len(row.questions) for row in rows):,}")
    yield doc.Tile("Tokens", f"{sum(row.tokens for row in rows):,}", "about")
    if counts := [count for row in rows for count in row.count_places()]:
        share = 100 * sum(map(bool, counts)) / len(counts)
        yield doc.Tile("Gold in the history", f"{share:.1f} %", f"of {len(counts):,} looked for")
    flagged = sum(bool(one["flags"]) for row in rows for one in row.questions)
    yield doc.Tile("Doubtful", f"{flagged:,}", "by the audit")


def _draw_strip(row: _PageRow) -> dict[str, Any]:
    """Return a history to be drawn from left to right, with a bar at each place.

    Places are thousandths of the history. The more marks at a place, the higher its bar.
    """
    facts, lanes = (
        [f"about {write_count(row.tokens, 'token')}, {write_count(len(row.borders), 'chunk')}"],
        dict[str, str](),
    )
    for kind in _KINDS:
        if not any(counts := row.count_places(kind)):
            continue
        questions = (
            f"{len(counts) - counts.count(0):,} of {write_count(len(row.questions), 'question')}"
        )
        at = write_count(sum(counts), "place")
        facts.append(f"{kind} of {questions} at {at}")
        spans = [span for one in row.questions for span in one["marks"].get(kind, ())]
        places = (range(start, start + max(width, 1), 4) for start, width in spans)
        bins = Counter(at // 4 for span in places for at in span)
        foot, most = _LANE + (_LANE + _GAP) * len(lanes), max(bins.values())
        highs = {at: max(3, _LANE * count // most) for at, count in sorted(bins.items())}
        lanes[kind] = "".join(f"M{4 * at} {foot}v-{high}h4v{high}z" for at, high in highs.items())
    return {
        "name": row.name,
        "query": quote(f"{row.name}/", safe="", errors="replace"),
        "facts": "; ".join(facts),
        "lanes": lanes,
        "borders": sorted({*row.borders}),
    }
