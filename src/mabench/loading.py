"""Opening a data set by whatever names it: a path, ``hub``, ``synthetic:small``, or an object."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol, cast

from mabench.data import Dataset, Problem, Row, RowContent, Source, load_entities, open_dataset
from mabench.data.dataset import HUB
from mabench.data.inventory import BY_NAME, match_sources
from mabench.data.records import Record, Severity
from mabench.data.schema import RowOutline
from mabench.data.sources_file import find_beside, read_declared, read_sources
from mabench.data.validation import RowCheck, find_problems
from mabench.errors import DataError, UsageError, shorten_message, unknown
from mabench.families import Family, families_of, family_of, search_query
from mabench.families.parts import EVERY_ROW
from mabench.families.prompts import MARKERS
from mabench.plugins import Group, load_plugin, missing_part, plugins
from mabench.printable import write_count
from mabench.scoring import Catalogue
from mabench.specs import RaceSpec
from mabench.uncertainty import MIN_HISTORIES

# Sources of one's own, by name: each as one, or as the fields of its table in sources.toml.
Declared = Mapping[str, Source | Mapping[str, str]]
_GENERATOR = "synthetic"
_ENDLESS = 1_000  # Rounds, at least: each row is made when it is asked for.


class DataScheme(Protocol):
    """What opens the data sets of a scheme: a module or an object.

    It is an entry point of the group ``mabench.data``; its name is what stands before the colon.
    """

    def names(self) -> Sequence[str]:
        """Return the names of its data sets."""

    def open_data(self, name: str) -> Dataset:
        """Open one of them."""


class _RowGenerator(DataScheme, Protocol):
    """A scheme that also makes rows to order; a wrong source, size or knob is a ``UsageError``."""

    def generate(
        self,
        sources: Collection[str],
        *,
        seed: int,
        tokens: int | None,
        rows: int | None,
        questions: int | None,
        knobs: Mapping[str, int | float],
        difficulty: str,
    ) -> Dataset: ...  # Of some sources or families.
    # One row, whose ``settings`` are its knobs, tokens and questions.
    def generate_row(
        self, source: str, *, seed: int, settings: Mapping[str, int | float], difficulty: str
    ) -> Dataset: ...
    # The first rounds of an endless data set, which have a row of each source.
    def generate_rounds(
        self, sources: Collection[str], rounds: int, *, tokens: int | None, **asked: Any
    ) -> Dataset: ...
    # The rows that a ``manifest.json`` describes, or a ``DataError``.
    def repeat_manifest(self, file: Path) -> Dataset: ...
    # Rows in the form of a source, made of a user's own file; else a ``DataError``.
    def read_material(
        self, source: str, file: Path, *, seed: int, tokens: int | None, questions: int | None
    ) -> Dataset: ...


def load(data: object, *, offline: bool = False, sources: Declared | None = None) -> Dataset:
    """Open a data set. Its rows are read one at a time, when they are asked for.

    Args:
        data: one of

            - ``hub``, the public data set, downloaded once at a fixed revision;
            - ``synthetic:small``, ``start``, ``compare``, ``medium`` or ``full``: made-up rows, or
              what else an entry point of the group ``mabench.data`` opens;
            - a folder in the hub's layout, a folder of JSONL files, or a parquet, JSON or JSONL
              file;
            - a ``DatasetDict`` or ``Dataset`` of the package ``datasets``;
            - any iterable of dicts, a row each.
        offline: never use the network.
        sources: sources of your own that the rows name, by name, in addition to those of a
            ``sources.toml``: each a ``Source``, or a dict of the fields that the file takes.

    Raises:
        DataError: when the data cannot be found, fetched or read, or a ``sources.toml`` is wrong.
        UsageError: when there are no synthetic data of that name, a source has the name of one of
            the benchmark, or its family cannot be loaded.
    """
    # Complain now rather than at the first row.
    if wrong := _declaration_problems(data):
        raise DataError("\n".join(map(str, wrong)))
    if _names_scheme(data):
        name, _, rest = str(data).partition(":")
        scheme = _load_scheme(name)
        if rest not in scheme.names():
            names = [f"{name}:{listed}" for listed in scheme.names()]
            raise UsageError(unknown(f"no {name} data named", str(data), names))
        dataset = scheme.open_data(rest)
    else:
        dataset = open_dataset(data, offline=offline)
    if not sources:
        return dataset
    own = read_declared(sources)
    families_of(own)
    return dataset.with_sources(own)


def _names_scheme(data: object) -> bool:
    if not isinstance(data, str):
        return False
    name, colon, _ = data.partition(":")
    return bool(colon) and (name == _GENERATOR or name in plugins(Group.DATA))


def row_generator() -> _RowGenerator:
    """Return what makes rows to order; raises ``UsageError`` where it is not installed."""
    return cast("_RowGenerator", _load_scheme(_GENERATOR))


def _load_scheme(name: str) -> DataScheme:
    points = plugins(Group.DATA)
    if name not in points:
        raise missing_part(name) or UsageError(unknown("no scheme of data named", name, points))
    return cast("DataScheme", load_plugin(points[name], "scheme of data"))


def open_rounds(spec: RaceSpec) -> tuple[Callable[[range], Dataset], dict[str, tuple[int, ...]]]:
    """Open made-up rows of sources, which are endless, or a data set with many histories.

    Returns:
        What returns some rounds, with a row of each source: a run over them extends one over those
        before. And the rows of each source as they come, where they are shuffled.

    Raises:
        DataError, UsageError: as ``load``, or a source has too few histories or needs a judge.
    """
    scheme, _, source = str(spec.run.data.data).partition(":")
    endless = source and scheme == _GENERATOR and source not in row_generator().names()
    asked = {name: getattr(spec, name) for name in ("tokens", "questions")}
    if endless:
        asked |= {"seed": spec.seed, "difficulty": spec.difficulty}
        most = max(spec.max_histories, _ENDLESS)
        data = row_generator().generate_rounds([source, *spec.over], most, **asked)
    elif sizes := [name for name, size in asked.items() if size is not None]:
        raise UsageError(f"`{sizes[0]}` is for made-up rows, as of {_GENERATOR}:SOURCE")
    else:
        data = load(spec.run.data.data, offline=spec.run.data.offline)
    held: dict[str, list[RowOutline]] = defaultdict(list)
    for row in data.outline:
        held[row.source].append(row)
    sources = [*held] if endless or not spec.over else match_sources(spec.over, data.sources, held)
    for name in sources:
        if not endless and (count := len(held[name])) < MIN_HISTORIES:
            made = f"have endless made-up ones ({_GENERATOR}:{name}) or " * (name in BY_NAME)
            raise UsageError(
                f"{data.name} has {write_count(count, 'history')} of {name}, but a race needs "
                f"at least {MIN_HISTORIES}. It can {made}take other sources (`over`); or run each "
                "agent, and compare the runs on these histories"
            )
        if family_of(name, data.sources).needs == "judge":
            raise UsageError(
                f"a judge scores {name}, but a race needs each score at once; judge a run of each "
                "agent and compare them"
            )
    fewest, order = min(len(held[name]) for name in sources), dict[str, tuple[int, ...]]()
    for name in () if endless else sources:
        held[name] = random.Random(f"{spec.seed}/{name}").sample(held[name], fewest)  # noqa: S311
        order[name] = tuple(row.row for row in held[name])

    def part(rounds: range) -> Dataset:
        until = {row for name in sources for row in held[name][: rounds.stop]}
        asked = {row[:2] for name in sources for row in held[name][rounds.start : rounds.stop]}
        rows = data.part(lambda row: (row.split, row.index) in asked)
        return rows.stand_for(data.fingerprint, (row for row in data.outline if row in until))

    return part, order


def validate(
    data: object, *, complete: bool = False, offline: bool = False, sources: Declared | None = None
) -> list[Problem]:
    """Return every problem of a data set; arguments and ``UsageError`` are those of ``load``."""
    wrong = _declaration_problems(data)
    if wrong:
        return wrong  # What the rows should be is not known.
    try:
        dataset = load(data, offline=offline, sources=sources)
    except DataError as error:
        place = shorten_message(str(data))
        return [Problem("error", place, None, None, str(error), "a data set to read")]
    expected = f"{MARKERS[0]!r} before the question: searches take what follows it"
    file = str(dataset.sources_file or dataset.name)
    unsearchable = [
        Problem("warning", file, None, f"[{name}] prompt", "nothing to search by", expected)
        for name, source in dataset.sources.items()
        if source.prompt and search_query(source.prompt) == source.prompt
    ]
    problems = find_problems(dataset, _rules, complete=complete, histories=MIN_HISTORIES)
    return [*unsearchable, *problems]


def _rules(source: Source) -> tuple[Sequence[RowCheck], Severity | None]:
    """Return the checks of a source's rows, with what an audit would flag, and of repeated ids."""
    family = family_of(source)
    flagged = [check for check in (*EVERY_ROW, *family.audit_checks) if check.expected]

    def warn(record: Record, content: RowContent, _: Container[int] | None) -> Iterator[Problem]:
        row = Row.model_construct(**dict(content), split=record.split or "", index=record.row)
        for check in flagged:
            for index, why in check.find(row, None):
                yield record.warning(f"answers[{index}]", why, check.expected or "")

    return (*family.row_checks, warn), family.repeated_ids


def _declaration_problems(data: object) -> list[Problem]:
    """Return what is wrong with the ``sources.toml`` beside a file or folder of rows."""
    if not isinstance(data, str | Path) or data == HUB or _names_scheme(data):
        return []
    try:
        file = find_beside(Path(data).expanduser().resolve())
    except (OSError, ValueError, RuntimeError):
        return []  # Opening the data set says what is wrong.
    if file is None:
        return []
    sources, problems = read_sources(file)
    for name, source in sources.items():
        try:
            families_of({name: source})
        except UsageError as error:
            expected = "a family that there is, with a metric of its own"
            problems.append(Problem("error", str(file), None, f"[{name}]", str(error), expected))
    return problems


def catalogue_of(
    dataset: Dataset | None,
    entities: str | Path | None = None,
    families: Iterable[Family] | None = None,
) -> Catalogue | None:
    """Prepare the titles of an entity file, else of a data set; raises ``DataError``.

    There are none where none of the ``families`` that are given recommends.
    """
    if families is not None and not any(family.needs_entities for family in families):
        return None
    ids = load_entities(Path(entities)) if entities else dataset.entities if dataset else None
    return None if ids is None else Catalogue(ids)
