"""A data set: rows that can be read any number of times, and what is known about them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from functools import cached_property, partial
from itertools import islice
from operator import index
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, overload

from mabench.data.arrow import make_table
from mabench.data.checking import read_rows
from mabench.data.contents import Contents, add_up, as_html, as_text
from mabench.data.entities import load_entities
from mabench.data.inventory import HUB, REVISION, Source, match_sources
from mabench.data.problems import Problem
from mabench.data.records import ALL_FIELDS, Record
from mabench.data.schema import Question, Row, RowMaker, RowOutline
from mabench.data.sources.declarations import add_inventory
from mabench.data.surveying import Survey, survey_rows
from mabench.data.titles import can_be_benchmark, lengths_in, title_made_up
from mabench.errors import DataError, MabenchError, UsageError, require, unknown

if TYPE_CHECKING:
    import pyarrow


@dataclass(eq=False, repr=False)
class Dataset:
    """Rows that are read one at a time, as often as they are asked for.

    ``dataset["Accurate_Retrieval"]`` is a split, ``dataset[0]`` the first row, ``dataset[:3]`` a
    list of rows. Printing it shows its contents, which reads all rows once.

    Raises ``UsageError`` when ``sources`` declares what it must not; see ``with_inventory``.
    """

    name: str  # A short name to show: the folder's, the file's, ``hub``.
    # Reads the rows from the beginning, unchecked, with what cannot be read.
    records: Callable[[], Iterable[Record | Problem]]
    _: KW_ONLY
    location: str | None = None  # What ``mabench.load`` opens again, or None for objects in memory.
    # Reads at least the rows of a split, and leaves out what is known to be of others; None if that
    # is not known.
    records_of_split: Callable[[str], Iterable[Record | Problem]] | None = None
    # Entity name to id, or the file that holds them; None without recommendation rows.
    entity_ids: Mapping[str, int] | Path | None = None
    manifest: Mapping[str, Any] | None = None  # How synthetic rows were made, or None.
    # What makes each row, in order, where rows are made; None if they are read.
    makers: Sequence[RowMaker] | None = None
    # Every source that a row may name, by name; those of the inventory join the declared ones that
    # are given.
    sources: Mapping[str, Source] = field(default_factory=dict)
    sources_file: Path | None = None  # The ``sources.toml`` that declares sources, or None.
    # The manifest beside the rows, which says that they are made up, or None.
    made_up: Mapping[str, Any] | None = None
    # Which rows a part of a data set has: those that all of them take.
    choices: tuple[Callable[[Row | RowMaker], bool], ...] = ()
    # What the survey has read, for whoever reads the rows next.
    _surveyed: list[Row] = field(init=False, repr=False, compare=False, default_factory=list)

    def __post_init__(self) -> None:
        self.sources = add_inventory(self.sources)

    @classmethod
    def from_rows(
        cls, name: str, rows_factory: Callable[[], Iterable[Row]], **attributes: Any
    ) -> Self:
        """Make a data set of rows in memory, or of rows that are made when they are asked for.

        Every call of ``rows_factory`` starts anew; ``attributes`` are those of the data set.
        """

        def records() -> Iterator[Record]:
            for i, row in enumerate(rows_factory()):
                yield Record(name, i, row.split, row.model_dump(include=set(ALL_FIELDS)))

        return cls(name, records, **attributes)

    def with_sources(self, sources: Mapping[str, Source]) -> Dataset:
        """Return this data set with more declared sources; raises as the class does."""
        return replace(self, sources={**self.sources, **sources})

    @property
    def revision(self) -> str | None:
        """The hub's revision, or None for any other data."""
        return REVISION if self.location == HUB else None

    @cached_property
    def entities(self) -> Mapping[str, int] | None:
        """Entity name to id; None without recommendation rows; raises ``DataError``."""
        ids = self.entity_ids
        return load_entities(ids) if isinstance(ids, Path) else ids

    def rows(self, sources: str | Collection[str] | None = None) -> Iterator[Row]:
        """Return the rows in order, only those of ``sources`` (one, or several) when given.

        A source can be given without its length, which means all its lengths.

        Raises:
            UsageError: at once, when a source is unknown.
            DataError: while reading, at the first row that departs from the schema.
        """
        if sources is not None:
            sources = match_sources(sources, self.sources)
        if self._surveyed:
            surveyed, self._surveyed = self._surveyed, []
            return _hand_out([row for row in surveyed if sources is None or row.source in sources])
        if self.makers is not None and (sources is not None or self.choices):
            # Only what is asked for is made.
            makers = [maker for maker in self.makers if sources is None or maker.source in sources]
            return (maker() for maker in makers)
        rows = self._read_chosen() if self.choices else read_rows(self.records(), self.sources)
        return rows if sources is None else (row for row in rows if row.source in sources)

    def _read_chosen(self) -> Iterator[Row]:
        """Read the rows of a part, of all sources; raises as ``rows``, and where it has none."""
        is_empty = True
        for row in read_rows(self.records(), self.sources):
            if all(takes(row) for takes in self.choices):
                is_empty = False
                yield row
        if is_empty:
            raise self._without_rows()

    def _without_rows(self) -> DataError:
        """Return the error for a part without rows: it tells which rows the whole has."""
        numbers = defaultdict[str, list[int]](list)
        for row in self.makers or read_rows(self.records(), self.sources):
            numbers[row.source].append(row.index)
        spans = []
        for source, indexes in numbers.items():
            first, last = indexes[0], indexes[-1]
            span = f"{first}" if len(indexes) == 1 else f"{first} to {last}"
            spans.append(f"{source} {span}")
        rule = "no such rows; rows are numbered from 0 in their split"
        return DataError(f"{self.name}: {rule}: {', '.join(spans) or 'there are none'}")

    def __iter__(self) -> Iterator[Row]:
        """Read the rows one after the other; raises as ``rows`` does."""
        return self.rows()

    def __len__(self) -> int:
        """How many rows there are; the first call reads them all."""
        return len(self.outline)

    def __bool__(self) -> bool:
        """True: whether there are rows is known only once they were read."""
        return True

    @overload
    def __getitem__(self, place: str) -> Dataset: ...
    @overload
    def __getitem__(self, place: int) -> Row: ...
    @overload
    def __getitem__(self, place: slice) -> list[Row]: ...
    def __getitem__(self, place: str | int | slice) -> Dataset | Row | list[Row]:
        """Return the part of a split by its name, or rows by their numbers in this data set.

        Raises ``UsageError`` when there is no such split, ``IndexError`` when there is no such row.
        """
        if isinstance(place, str):
            splits = dict.fromkeys(source.split for source in self.sources.values())
            if place not in splits and place not in {row.split for row in self.outline}:
                raise UsageError(unknown("no split named", place, splits))
            part = self.part(lambda row: row.split == place)
            if self.records_of_split is None:
                return part
            records = partial(self.records_of_split, place)
            return replace(part, records=records, records_of_split=None)
        if isinstance(place, slice):
            return [*islice(self.rows(), *place.indices(len(self)))]
        number = place if place >= 0 else place + len(self)
        if number >= 0:
            for row in islice(self.rows(), number, None):
                return row  # The first of those that are left: the one with this number.
        raise IndexError(f"{self.name}: no row {place} among these {len(self)}")

    def select(
        self,
        sources: str | Collection[str] | None = None,
        rows: int | Collection[int] | None = None,
    ) -> Dataset:
        """Return the part with these sources and rows, which are numbers within their splits.

        Raises ``UsageError`` when a source is unknown, and ``DataError``, at the latest while
        reading, when there are no such rows.
        """
        chosen = None if sources is None else match_sources(sources, self.sources)
        numbers: set[int] | None = None
        if rows is not None:
            given = [rows] if isinstance(rows, int) else rows
            numbers = {index(number) for number in given}  # Also of numpy, for one.

        def takes(row: Row | RowMaker) -> bool:
            has_source = chosen is None or row.source in chosen
            has_number = numbers is None or row.index in numbers
            return has_source and has_number

        return self.part(takes)

    def part(self, takes: Callable[[Row | RowMaker], bool]) -> Dataset:
        """Return the part with the rows for which ``takes`` is true; raises as ``select``."""
        makers = None if self.makers is None else [*filter(takes, self.makers)]
        if self.makers and not makers:
            raise self._without_rows()
        # No location opens a part again, and no manifest describes it.
        part = replace(self, location=None, manifest=None, choices=(*self.choices, takes))
        return replace(part, makers=makers, made_up=self.manifest or self.made_up)

    def to_arrow(self) -> pyarrow.Table:
        """Return all rows as a table: split, index, and the columns of the public files.

        All contexts are in memory then. Raises as ``rows``.
        """
        return make_table(self.rows())

    def to_pandas(self) -> Any:
        """Return ``to_arrow`` as a frame of pandas; ``MissingPackageError`` without that package.

        ``pandas.DataFrame(dataset.questions())`` has a line for each question.
        """
        require("pandas", "datasets")
        return self.to_arrow().to_pandas()

    def __repr__(self) -> str:
        """What the data set holds, or why it cannot be read."""
        try:
            return as_text(self.name, self.contents)
        except MabenchError as error:
            return str(error)

    def _repr_html_(self) -> str | None:
        try:
            return as_html(self.name, self.contents)
        except MabenchError:
            return None  # The text says why.

    @cached_property
    def contents(self) -> Sequence[Contents]:
        """What there is of each source, by split; the first call reads all rows."""
        _ = self._survey
        return add_up(map(Contents.of_row, self._surveyed or self.rows()))

    def questions(self, sources: str | Collection[str] | None = None) -> Iterator[Question]:
        """Return the questions of ``rows(sources)``, in order; raises as it does."""
        return (question for row in self.rows(sources) for question in row.flatten())

    @property
    def fingerprint(self) -> str:
        """The sha256, in hex, of declared sources and of the rows of each split, in order.

        The same for every format; the first call reads all rows.
        """
        return self._survey.fingerprint

    @property
    def is_benchmark(self) -> bool:
        """Whether the rows can be the benchmark's own, neither made up nor more than it has.

        Only then do they feed the columns of the paper's table.
        """
        if self.made_up is not None or self.manifest is not None:
            return self.location == HUB
        return can_be_benchmark(self.outline)

    @property
    def titles(self) -> dict[str, str]:
        """What the benchmark's sources are called where their rows are made up, by name.

        It is never by a length that they do not have: ``ruler_qa1, 8k, made up``.
        """
        manifest = self.manifest or self.made_up
        if manifest is None or self.is_benchmark:
            return {}
        lengths = lengths_in(manifest)
        # The manifest of a part is that of the whole, and so it may name more sources.
        names = (row.source for row in self.outline) if self.choices or not lengths else lengths
        return title_made_up(names, lengths)

    @property
    def outline(self) -> tuple[RowOutline, ...]:
        """The rows without their content; read together with the fingerprint."""
        return self._survey.outline

    def survey(self, rows: Iterable[Row]) -> None:
        """Take fingerprint and outline from all the rows, in order, which were made elsewhere.

        Nothing is read from ``rows`` where both are known.
        """
        if "_survey" not in vars(self):
            vars(self)["_survey"] = self._take_survey(rows)

    def stand_for(self, fingerprint: str, outline: Iterable[RowOutline]) -> Self:
        """Let a part have the fingerprint of the whole, and an outline of more rows than its own.

        A run over it is then extended where the next part comes.
        """
        vars(self)["_survey"] = Survey(fingerprint, tuple(outline))
        return self

    @cached_property
    def _survey(self) -> Survey:
        return self._take_survey(self.rows())

    def _take_survey(self, rows: Iterable[Row]) -> Survey:
        survey, self._surveyed = survey_rows(rows, self.sources)
        return survey


def _hand_out(rows: list[Row]) -> Iterator[Row]:
    """Yield rows in order and take each off the list, so that its memory can be freed."""
    rows.reverse()
    while rows:
        yield rows.pop()
