"""The page of a data set: its inventory, its histories as strips, and every question."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import accumulate
from typing import Any, NamedTuple
from urllib.parse import quote

from mabench.audit import HistoryPlace, QuestionPlaces, row_flags, row_places
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

# The size of the packed questions. With the strips, a page may have 12 MB.
_MOST_BYTES = 9_000_000
# The lengths to which texts are cut, until the questions fit.
_LONGEST_TEXTS = (20_000, 4000, 1500, 500, 150)
# How many places of a kind are shown with their texts for each question.
_MOST_PLACES = 10
# The height of a lane of a strip, and the gap between two, as in page.html.
_LANE, _GAP = 22, 4
# Places in a strip are drawn in thousandths of the history, in bins of this width.
_PARTS_OF_HISTORY, _BIN = 1000, 4
_LOWEST_BAR = 3
# The kinds of places, and the fields of ``QuestionPlaces`` that hold them.
_KINDS = {"golds": "places", "older values": "older_values", "evidence": "evidence"}


class _PageRow(NamedTuple):
    """A row of the data, as the page shows it."""

    name: str
    tokens: int
    borders: Sequence[int]  # Where chunks begin, in thousandths of the history.
    questions: Sequence[dict[str, Any]]

    def count_places(self, kind: str = "golds") -> list[int]:
        """Return the number of places of a kind for each question that can have some."""
        marks_of_questions = [question["marks"] for question in self.questions]
        return [len(marks[kind]) for marks in marks_of_questions if kind in marks]


def data_page(
    dataset: Dataset,
    progress: Progress,
    protocol: str = "structured",
    title: str | None = None,
    *,
    offline: bool = False,
) -> str:
    """Return the page of a data set as HTML, with the borders of a protocol's chunks.

    The ``title`` is by default the name of the data.

    Raises:
        UsageError: when the protocol or a source is unknown, or there are no questions.
        DataError: when a row cannot be read.
        MissingPackageError: when a package is missing, or ``offline`` the data of a tokenizer.
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
    titled_strips = [(titles.get(name, name), of_source) for name, of_source in strips.items()]
    report = contents_report(dataset)
    sections = [
        doc.Section(
            "inventory", "Inventory", [say("inventory")], tables=report.tables, notes=report.remarks
        ),
        *_make_lengths(contents, titles),
        doc.Section(
            "histories", "Histories", [say("strips", protocol=protocol)], strips=titled_strips
        ),
    ]
    return doc.render(
        (
            title or dataset.name,
            f"data from {dataset.location or 'memory'}, protocol {protocol}",
        ),
        tiles=_make_tiles(rows, len(strips)),
        sections=sections,
        settings=doc.Section(
            "left-out", "What is left out", [say("left_out_of_page", places=_MOST_PLACES)]
        ),
        titles=titles,
        explorer=_make_explorer(questions, [*strips], titles),
    )


def _make_explorer(
    questions: Sequence[dict[str, Any]], sources: Sequence[str], titles: Mapping[str, str]
) -> dict[str, Any]:
    """Return the table of all questions, with menus that filter them, for the page's script.

    ``questions`` are as ``_describe_question`` returns them, and ``titles`` by the source's name.
    """
    reasons = (reason for question in questions for reason, _ in question["flags"])
    return {
        "script": "data.js",
        "data": doc.pack([*questions], _MOST_BYTES, _LONGEST_TEXTS),
        "about": {"titles": titles},
        "total": len(questions),
        "columns": ["Question", "Gold", "Places", "Flags"],
        "menus": [
            ("source", "Source", "all", {name: titles.get(name, name) for name in sources}),
            *_make_menu("type", "Type", (question["type"] for question in questions)),
            *_make_menu("flag", "Flag", reasons),
        ],
        "texts": "in questions and golds",
        "notes": [],
    }


def _make_lengths(contents: Sequence[Contents], titles: Mapping[str, str]) -> Iterator[doc.Section]:
    """Yield the section about the lengths of histories; nothing if none is known."""
    known = [of_source for of_source in contents if of_source.shortest]
    dots = list[Dot]()
    for of_source in known:
        name, ends = str(of_source.source), (of_source.shortest, of_source.longest)
        text = f"{of_source.shortest:,}"
        if of_source.rows > 1:
            text += f"\N{EN DASH}{of_source.longest:,}"
        mean = of_source.tokens_a_row
        dots.append(Dot(titles.get(name, name), "mean", mean, new=ends, text=text))
    columns: tuple[Column[Contents], ...] = (
        Column("Source", lambda of_source: of_source.source),
        Column("Mean", lambda of_source: of_source.tokens_a_row, spec=","),
        Column("Shortest", lambda of_source: of_source.shortest, spec=","),
        Column("Longest", lambda of_source: of_source.longest, spec=","),
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
    """Return a row for the page, with the places of its gold answers and evidence."""
    family, length = family_of(row.source, sources), max(len(row.context), 1)
    # Where chunks, and the family's units of text, begin; the last number is the end of all.
    chunk_starts = [0, *accumulate(len(chunk) for chunk in cut(family, row.context) if chunk)]
    unit_starts = [0, *accumulate(map(len, family.units(row.context)))]
    flags: dict[int, list[tuple[str, str]]] = defaultdict(list)
    for flag in row_flags(row, family, catalogue):
        flags[flag.question_index].append((flag.reason, flag.detail))

    def mark(place: HistoryPlace, kind: str) -> Span:
        """Return the start and the width of a place, in thousandths of the history."""
        start, end = place.start, place.end
        if kind == "evidence":  # It is shown as the whole units that contain it.
            first = bisect_right(unit_starts, start) - 1  # The last that begins by then.
            after = bisect_left(unit_starts, end)  # The first that begins when it has ended.
            start = unit_starts[first]
            end = unit_starts[min(after, len(unit_starts) - 1)]
        width = _PARTS_OF_HISTORY * (end - start) // length
        return _PARTS_OF_HISTORY * start // length, width

    def find_titles(entity_id: str) -> list[str]:
        """Return what a gold is called that is the id of an entity, such as a film."""
        return catalogue.titles([entity_id]) if catalogue and family.needs_entities else []

    questions = []
    for index, view in enumerate(row_places(row, sources)):
        question: dict[str, Any] = _describe_question(view) | {"flags": flags[index], "marks": {}}
        for form, gold in zip(question["forms"], question["answers"], strict=True):
            form += find_titles(gold)
        for kind, places in _list_places(view):
            question["marks"][kind] = [mark(place, kind) for place in places]
        questions.append(question)
    *starts, end = chunk_starts
    borders = [_PARTS_OF_HISTORY * start // max(end, 1) for start in starts]
    name, tokens = f"{row.split}/{row.index}", estimate_tokens(row.context)
    return _PageRow(name, tokens, borders, questions)


def _list_places(view: QuestionPlaces) -> list[tuple[str, Sequence[HistoryPlace]]]:
    """Return the places of each kind for which a question's history was searched."""
    return [(kind, view[field]) for kind, field in _KINDS.items() if view[field] is not None]


def _describe_question(view: QuestionPlaces) -> dict[str, Any]:
    """Return a question for the page's script."""
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
    """Return a menu that filters questions by these values, in a list; empty if there are none."""
    different = sorted({value for value in values if value})
    if not different:
        return []
    options = {value: value for value in different} | {"*": "some", "-": "none"}
    return [(name, label, "any", options)]


def _make_tiles(rows: Sequence[_PageRow], sources: int) -> Iterator[doc.Tile]:
    """Yield the figures at the top of the page."""
    yield doc.Tile("Rows", f"{len(rows):,}", f"of {write_count(sources, 'source')}")
    yield doc.Tile("Questions", f"{sum(len(row.questions) for row in rows):,}")
    yield doc.Tile("Tokens", f"{sum(row.tokens for row in rows):,}", "about")
    counts = [count for row in rows for count in row.count_places()]
    if counts:
        share = 100 * sum(count > 0 for count in counts) / len(counts)
        yield doc.Tile("Gold in the history", f"{share:.1f} %", f"of {len(counts):,} looked for")
    flagged = sum(bool(question["flags"]) for row in rows for question in row.questions)
    yield doc.Tile("Doubtful", f"{flagged:,}", "by the audit")


def _draw_strip(row: _PageRow) -> dict[str, Any]:
    """Return a history as a strip from left to right, with a lane of bars for each kind of place.

    The more places at a point of the history, the higher its bar.
    """
    tokens, chunks = write_count(row.tokens, "token"), write_count(len(row.borders), "chunk")
    facts = [f"about {tokens}, {chunks}"]
    lanes: dict[str, str] = {}
    for kind in _KINDS:
        counts = row.count_places(kind)
        if not any(counts):
            continue
        with_places = sum(count > 0 for count in counts)
        questions = f"{with_places:,} of {write_count(len(row.questions), 'question')}"
        facts.append(f"{kind} of {questions} at {write_count(sum(counts), 'place')}")
        spans = [span for question in row.questions for span in question["marks"].get(kind, ())]
        bottom = _LANE + (_LANE + _GAP) * len(lanes)
        lanes[kind] = _draw_lane(spans, bottom)
    return {
        "name": row.name,
        "query": quote(f"{row.name}/", safe="", errors="replace"),
        "facts": "; ".join(facts),
        "lanes": lanes,
        "borders": sorted({*row.borders}),
    }


def _draw_lane(spans: Iterable[Span], bottom: int) -> str:
    """Return bars as the path of an SVG, the highest where most spans (start, width) are."""
    bins = Counter[int]()
    for start, width in spans:
        bins.update(place // _BIN for place in range(start, start + max(width, 1), _BIN))
    most = max(bins.values())
    bars = []
    for number, count in sorted(bins.items()):
        height = max(_LOWEST_BAR, _LANE * count // most)
        bars.append(f"M{_BIN * number} {bottom}v-{height}h{_BIN}v{height}z")
    return "".join(bars)
