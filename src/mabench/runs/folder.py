"""What a run asks, and the folder it is kept in: the one that was named, or one of ours."""

from __future__ import annotations

import re
import secrets
from collections import Counter
from collections.abc import Container, Iterable, Iterator
from contextlib import contextmanager, suppress
from itertools import count, islice
from pathlib import Path

from mabench.data import Dataset, Question, Row, dump_declarations, match_sources
from mabench.data.sources.declarations import explain_unknown
from mabench.errors import DataError, UsageError, reason
from mabench.families import Prompts
from mabench.injection import protocol_named
from mabench.lookup.identity import Code
from mabench.pasteable import write_command
from mabench.progress import NoProgress, Progress
from mabench.results import (
    CodeRecord,
    DataRecord,
    Key,
    ModelRecord,
    RecordDifference,
    RunFolder,
    RunRecord,
    packages_of_agent,
    packages_of_chunks,
    packages_of_scoring,
    versions_of,
)
from mabench.specs import DataSpec, InjectionSpec, RunSpec

_PARENT = Path("runs")
_LONGEST_PART = 32
_LONGEST_NAME = 80
_LISTED = 3  # Rows that a name lists; of more it says how many.


def record_for(spec: RunSpec, agent: str, dataset: Dataset, prompts: Prompts) -> RunRecord:
    """Return what a run is, as its folder keeps it; ``agent`` is the agent's name.

    Raises:
        DataError: when there is nothing to ask; UsageError: when a source is unknown.
    """
    rows, model = spec.data.rows, spec.agent.model
    code = Code.identify(spec.agent.agent, spec.agent.python, spec.agent.mcp_map)
    return RunRecord(
        agent=agent,
        code=CodeRecord(files=code.files, packages=code.packages, unknown=tuple(code.unknown)),
        data=DataRecord.of(dataset),
        questions=questions_by_source(spec.data, dataset),
        protocol=spec.injection.protocol,
        chunk_tokens=spec.injection.chunk_tokens,
        prompts=prompts.hash,
        model=ModelRecord(name=model.name, temperature=model.temperature, seed=model.seed)
        if model
        else None,
        rows=None if rows is None else tuple(sorted(rows)),
        limit_questions=spec.data.limit_questions,
        packages=_packages(spec, code, dataset),
        sources=dump_declarations(dataset.sources) or None,
    )


def name_builder(spec: RunSpec, record: RunRecord) -> str:
    """Return a name for what builds the memories of a run; unknown code shares it with no other."""
    is_unknown = record.code is not None and record.code.unknown and not spec.agent.same_code
    return f"{record.builder()} {secrets.token_hex()}" if is_unknown else record.builder()


def _packages(spec: RunSpec, code: Code, dataset: Dataset) -> dict[str, str]:
    """Return the versions of the installed packages on which the figures of a run depend."""
    asked, agent = questions_by_source(spec.data, dataset), spec.agent
    published = protocol_named(spec.injection.protocol).published
    packages = packages_of_scoring(asked, dataset.sources) | packages_of_chunks(published=published)
    if agent.python is None:  # What another interpreter has is unknown here.
        packages |= packages_of_agent(agent.agent, agent.settings, code.imports)
    return versions_of(packages)


def questions_by_source(data: DataSpec, dataset: Dataset) -> dict[str, int]:
    """Return how many questions are asked, by source.

    Raises:
        DataError: when there are none, or none of one of the sources.
        UsageError: when a source is unknown, or one of the rows is declared by nobody.
    """
    show = write_command("data", "show", dataset.location or dataset.name)
    held = {row.source for row in dataset.outline}
    chosen = None if data.sources is None else match_sources(data.sources, dataset.sources, held)
    counts: Counter[str] = Counter()
    for row in dataset.outline:
        if (chosen is None or row.source in chosen) and (data.rows is None or row.row in data.rows):
            counts[row.source] += min(row.questions, data.limit_questions or row.questions)
    for name in counts:
        if name not in dataset.sources:
            expected, paste = explain_unknown(name, dataset.sources)
            raise UsageError(
                f"{dataset.name}: rows of the unknown source {name!r}; expected {expected}, such "
                f"as:\n{paste}"
            )
    missing = [name for name in chosen or () if name not in held]
    if missing and len(missing) < len(chosen or ()):
        raise DataError(
            f"{dataset.name}: no rows of {', '.join(missing)}; leave it out of `sources`, or "
            f"name data that contain it; `{show}` lists the contents",
            parameter="sources",
        )
    if not counts:
        wanted = f" of {', '.join(chosen)}" if chosen else ""
        if data.rows:
            wanted += f" numbered {', '.join(map(str, data.rows))}"
        raise DataError(f"{dataset.name}: no rows{wanted}; `{show}` lists what it holds")
    return dict(counts)


def select_rows(
    data: DataSpec, dataset: Dataset, done: Container[Key] = ()
) -> Iterator[tuple[Row, list[Question]]]:
    """Yield the rows of a run with the questions of each, but not those that are ``done``."""
    for row in dataset.rows(data.sources):
        if data.rows is None or row.index in data.rows:
            questions = islice(row.flatten(), data.limit_questions)
            yield row, [question for question in questions if question.key not in done]


@contextmanager
def run_folder(
    spec: RunSpec, record: RunRecord, progress: Progress, repeats: int = 1
) -> Iterator[RunFolder]:
    """Own the folder of a run: a new one, or that of the same run, to be resumed or extended.

    Its path is absolute, so that an agent that changes the working directory loses nothing. A
    new one is removed where the run fails before there is anything to resume. Of several
    ``repeats``, this is the folder of the first.

    Raises:
        UsageError: when ``out`` holds another run, other runs, or files that are of no run, or is
            being written; or errors are to be retried and no run of ours has any.
        DataError: when the folder cannot be read or written.
    """
    place = (spec.out or _default(spec, record, repeats, progress)).absolute()
    folder = RunFolder(repeat_folders(place, repeats)[0])
    others = sorted(folder.runs_within())
    if others and not folder.exists():  # Both would look like one run from then on.
        raise UsageError(
            f"{folder.path} holds other runs, such as {others[0].name}; give another `out`, "
            "such as a new folder in it",
            parameter="out",
        )
    if spec.out:
        refuse_foreign(place)
    if spec.fresh:
        set_aside([folder.path] if repeats == 1 else place.glob("repeat-*"), progress)
    # The innermost first.
    made = [parent for parent in (folder.path, *folder.path.parents) if not parent.exists()]
    with folder.own():
        is_new = not folder.exists()
        files = {file.name for file in folder.path.iterdir()}
        try:
            before = None if is_new else _stored(folder, spec, record)
            begun = before.extend(record, spec.command) if before else record.begin(spec.command)
            if begun != before:
                folder.create(begun)
            yield folder
        except BaseException:
            if is_new and not folder.is_worth_keeping():
                with suppress(OSError):
                    folder.remove(files)  # What was there before stays.
                    for path in made:
                        path.rmdir()
            raise


def refuse_foreign(place: Path) -> None:
    """Raise ``UsageError`` for a folder of things but no run, ``DataError`` if it is unreadable."""
    # A sweep has two folders above its runs.
    if any(any(place.glob(f"{within}run.json")) for within in ("", "*/", "*/*/")):
        return
    try:
        foreign = _foreign_things(place)
    except OSError as error:
        raise DataError(f"{place}: not readable: {reason(error)}; give another `out`") from error
    if foreign:
        raise UsageError(
            f"{place} holds other things, such as {foreign[0]}, and no run; give a new or an empty "
            "folder",
            parameter="out",
        )


def _foreign_things(place: Path) -> list[str]:
    """Return the names of what no stopped run or sweep of ours left in a folder.

    A sweep that was stopped before its first run has folders in which there is nothing yet, or a
    run that does not say yet what it is.
    """
    if not place.is_dir():
        return []
    visible = sorted(child for child in place.iterdir() if not child.name.startswith("."))
    return [child.name for child in visible if child.is_symlink() or not _is_unbegun(child)]


def _is_unbegun(folder: Path, depth: int = 2) -> bool:
    """Return whether a folder holds only empty folders, and the lock of a run."""
    if not folder.is_dir() or folder.is_symlink():
        return False
    held = [child for child in folder.iterdir() if not child.name.startswith(".")]
    return not held or (depth > 0 and all(_is_unbegun(child, depth - 1) for child in held))


def find_run(spec: RunSpec, record: RunRecord) -> RunFolder | None:
    """Return the folder that a run resumes or extends, if any; raises as ``run_folder``."""
    if spec.fresh:
        return None
    folder = RunFolder((spec.out or _default(spec, record, 1, NoProgress())).absolute())
    if not folder.exists():
        return None
    _stored(folder, spec, record)
    return folder


def set_aside(folders: Iterable[Path], progress: Progress) -> None:
    """Set aside the runs that folders hold, where no other process is writing."""
    for folder in map(RunFolder, folders):
        if folder.exists():
            with folder.own():
                progress.say(
                    f"{folder.path}: its contents were moved to {folder.set_aside().name}."
                )


def repeat_folders(place: Path, repeats: int) -> list[Path]:
    """Return the folders of the repeats of a run, or the one of a single run."""
    return [place / f"repeat-{n}" for n in range(1, repeats + 1)] if repeats > 1 else [place]


def _stored(folder: RunFolder, spec: RunSpec, record: RunRecord) -> RunRecord:
    """Return what a folder holds; refuse another run, one of other code, or one that asks more.

    Code that is unknown, now or then, may be other code; only ``same_code`` says that it is not.
    """
    stored = folder.record()
    differences = record.differences(stored)
    for difference in differences:
        if not (difference.is_selection or difference.is_code):
            raise UsageError(
                f"{folder.path} holds another run: {difference}; give another `out`",
                parameter="out",
            )
    if changes := _name_changes(differences):
        raise UsageError(
            f"{folder.path} holds answers of different code: {changes}. `fresh` sets them aside "
            "and starts over; or give another `out`",
            parameter="fresh",
        )
    if doubts := _doubt_code(spec, record, stored):
        raise UsageError(
            f"{folder.path} holds answers of code that may differ: {doubts}. `same_code` resumes "
            "the run if the code is the same, `fresh` starts over; or give another `out`",
            parameter="fresh",
        )
    if left_out := record.left_out(stored):
        raise UsageError(
            f"{folder.path} holds a run with more questions: {'; '.join(left_out)}. A run can be "
            "extended, not narrowed: include all of these, or give another `out`",
            parameter="out",
        )
    return stored


def _doubt_code(spec: RunSpec, here: RunRecord, there: RunRecord) -> str:
    """Return why nobody can check that the code of two runs is the same; empty for no reason."""
    if spec.agent.same_code:
        return ""
    unknown = [why for run in (here, there) for why in (run.code.unknown if run.code else ())]
    return "; ".join(dict.fromkeys(unknown))


def _name_changes(differences: Iterable[RecordDifference]) -> str:
    """Return which files and packages of an agent have changed, in words; empty for none."""
    return ", ".join(
        f"{difference.what} is new"
        if difference.there is None
        else f"{difference.what} is no longer part of it"
        if difference.here is None
        else f"{difference.what} has changed"
        for difference in differences
        if difference.is_code
    )


def _default(spec: RunSpec, record: RunRecord, repeats: int, progress: Progress) -> Path:
    # The first place that is free, or holds the same run, unfinished; to retry errors, the newest
    # with the same run and errors; for a run anew, the newest with the same run, of whatever code.
    name = _default_name(spec.data, record, repeats)
    # The places with the same run, and how or why its code may differ.
    begun: list[tuple[Path, list[RunFolder], str]] = []
    for number in count(1):
        free = _PARENT / (f"{name}-{number}" if number > 1 else name)
        runs = [run for run in map(RunFolder, repeat_folders(free, repeats)) if run.exists()]
        if not runs:
            break
        stored = [run.record() for run in runs]
        differences = [each for one in stored for each in record.differences(one)]
        if all(difference.is_code for difference in differences):
            doubts = dict.fromkeys(_doubt_code(spec, record, one) for one in stored)
            changes = _name_changes(differences) or "; ".join(filter(None, doubts))
            begun.append((free, runs, changes))
    if spec.retry_errors:
        for place, runs, changes in reversed(begun):
            if not changes and any(sample.error for run in runs for sample in run.samples()):
                return place
        raise UsageError(
            f"no run under {_PARENT} with these settings has errors to retry, given the agent's "
            "present code; name its folder with `out`",
            parameter="retry_errors",
        )
    if spec.fresh:
        return begun[-1][0] if begun else free
    unfinished = ""
    for place, runs, changes in begun:
        if len(runs) == repeats and all(
            sum(1 for _ in run.samples()) >= sum(run.record().questions.values()) for run in runs
        ):
            continue
        if not changes:
            return place
        unfinished = f"{place} is left unfinished: {changes}. The run starts over in {free}."
    if unfinished:
        progress.say(unfinished)
    return free


def _default_name(data: DataSpec, record: RunRecord, repeats: int = 1) -> str:
    # Short, and fit for any file system.
    parts = [
        record.agent,
        record.model.name if record.model else "",
        record.data.name.removeprefix("synthetic:"),
        "" if record.protocol == InjectionSpec().protocol else record.protocol,
        *_selection(data, record),
        "repeated" if repeats > 1 else "",
    ]
    return name_folder(parts)


def name_folder(parts: Iterable[str]) -> str:
    """Return a name for a folder that says some parts."""
    words = (re.sub(r"[^A-Za-z0-9.]+", "-", part)[:_LONGEST_PART].strip("-.") for part in parts)
    return "-".join(filter(None, words))[:_LONGEST_NAME].strip("-.") or "run"


def _selection(data: DataSpec, record: RunRecord) -> Iterator[str]:
    if data.sources:
        first, *others = sorted(record.questions)
        yield first
        if others:
            yield f"and {len(others)} more"
    if data.rows:
        rows = sorted({*data.rows})
        listed = " ".join(map(str, rows)) if len(rows) <= _LISTED else f"{rows[0]} to {rows[-1]}"
        apart = rows[-1] - rows[0] >= len(rows) > _LISTED
        yield f"{len(rows)} rows" if apart else f"row{'s' * (len(rows) > 1)} {listed}"
    if data.limit_questions:
        yield f"limit {data.limit_questions}"
