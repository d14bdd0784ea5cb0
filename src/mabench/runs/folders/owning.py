"""Owning the folder of a run while it is written, whether it is new or the run is resumed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress

from mabench.errors import UsageError
from mabench.progress import Progress
from mabench.results import RunFolder, RunRecord
from mabench.runs.folders.choosing import choose_folder
from mabench.runs.folders.foreign import refuse_foreign
from mabench.runs.folders.names import name_repeats
from mabench.runs.folders.resuming import read_same_run
from mabench.runs.folders.setting_aside import set_aside
from mabench.specs import RunSpec


@contextmanager
def own_folder(
    spec: RunSpec, record: RunRecord, progress: Progress, repeats: int = 1
) -> Iterator[RunFolder]:
    """Own the folder of a run: a new one, or that of the same run, to be resumed or extended.

    Its path is absolute, so that an agent that changes the working directory loses nothing. A
    new one is removed if the run fails before there is anything to resume. Of several
    ``repeats``, this is the folder of the first.

    Raises:
        UsageError: when ``out`` holds another run, other runs, or files that are of no run, or is
            being written; or errors are to be retried and no run of ours has any.
        DataError: when the folder cannot be read or written.
    """
    place = choose_folder(spec, record, repeats, progress)
    folder = RunFolder(name_repeats(place, repeats)[0])
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
    # The folders that are made now, the innermost first.
    made = [parent for parent in (folder.path, *folder.path.parents) if not parent.exists()]
    with folder.own():
        is_new = not folder.exists()
        files_before = {file.name for file in folder.path.iterdir()}
        try:
            if is_new:
                folder.create(record.begin(spec.command))
            else:
                stored = read_same_run(folder, spec, record)
                extended = stored.extend(record, spec.command)
                if extended != stored:
                    folder.create(extended)
            yield folder
        except BaseException:
            if is_new and not folder.is_worth_keeping():
                with suppress(OSError):
                    folder.remove(files_before)  # What was there before stays.
                    for path in made:
                        path.rmdir()
            raise
