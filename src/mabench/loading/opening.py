"""Opens a data set by whatever names it: a path, ``hub``, ``synthetic:small``, or an object."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from mabench.data import Dataset, Problem, Source, open_dataset
from mabench.data.inventory import HUB
from mabench.data.sheets import split_drafts
from mabench.data.sources.toml_file import find_beside, read_declared, read_sources
from mabench.errors import DataError, UsageError, unknown
from mabench.families import families_of
from mabench.loading.schemes import load_scheme, names_scheme

# Sources of one's own, by name: each as one, or as the fields of its table in sources.toml.
Declared = Mapping[str, Source | Mapping[str, str]]


def load(data: object, *, offline: bool = False, sources: Declared | None = None) -> Dataset:
    """Open a data set. Its rows are read one at a time, when they are asked for.

    Args:
        data: one of

            - ``hub``, the public data set, downloaded once at a fixed revision;
            - ``synthetic:small``, ``start``, ``compare``, ``medium`` or ``full``: made-up rows, or
              what else an entry point of the group ``mabench.data`` opens;
            - ``drafts:FOLDER``: own conversations with their drafted questions, as a source of its
              own;
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
    dataset = data if isinstance(data, Dataset) else _open(data, offline=offline)
    if not sources:
        return dataset
    own_sources = read_declared(sources)
    families_of(own_sources)  # Raises if a family cannot be loaded.
    return dataset.with_sources(own_sources)


def _open(data: object, *, offline: bool) -> Dataset:
    """Open a data set by what names it; raises as ``load`` does."""
    problems = find_declaration_problems(data)  # Found now rather than at the first row.
    if problems:
        raise DataError("\n".join(str(problem) for problem in problems))
    if not names_scheme(data):
        return open_dataset(data, offline=offline)
    scheme_name, _, name = str(data).partition(":")
    scheme = load_scheme(scheme_name)
    if name not in scheme.names():
        known = [f"{scheme_name}:{name}" for name in scheme.names()]
        raise UsageError(unknown(f"no {scheme_name} data named", str(data), known))
    return scheme.open_data(name)


def find_declaration_problems(data: object) -> list[Problem]:
    """Return what is wrong with the ``sources.toml`` beside a file or folder of rows.

    Data that are named otherwise have no such file, and no problem.
    """
    if not isinstance(data, str | Path) or data == HUB or names_scheme(data):
        return []
    path, _ = split_drafts(data)  # Of drafts:FOLDER, the folder.
    try:
        file = find_beside(Path(str(path)).expanduser().resolve())
    except (OSError, ValueError, RuntimeError):  # It can be no path.
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
