"""The command that was given: how to give it again, how to record it, and errors in its words."""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from shutil import which

from mabench.errors import MabenchError
from mabench.redact import redact, redact_setting
from mabench.settings import list_options
from mabench.specs import JudgeSpec, RaceSpec, RunSpec, StressSpec, SweepSpec

# Parameters of what is no setting of a run.
_OPTIONS = {
    "knobs": "--knob",
    "material": "--from",
    "layout": "--format",
    "as_json": "--format json",
}
_SAME = (
    "baseline beside common difference estimate folder like plot repeat score timeout to verified"
)
_OPTIONS |= {name: f"--{name}" for name in _SAME.split()}
for _part in (SweepSpec, RaceSpec, StressSpec, JudgeSpec, RunSpec):
    for _name, _field in list_options(_part).items():
        if _field.setting and _field.setting.group:  # Else it is an argument.
            _names = {_field.parameter} | ({_name} if "." in _field.parameter else set())
            _OPTIONS.update(dict.fromkeys(_names, f"--{_name.replace('_', '-')}"))
_NAMED = re.compile(r"`([a-z_]+(?:\.[a-z_]+)?)`")


def program() -> str:
    """Return how this program is called in this shell: by its name, or else by the path given."""
    given = sys.argv[0]
    return given if Path(given).name == "mabench" and not which("mabench") else "mabench"


def in_options(text: str, parameter: str | None = None) -> str:
    """Return ``text`` with parameters in backquotes as options, led by that of ``parameter``."""
    text = _NAMED.sub(lambda match: _OPTIONS.get(match[1], match[0]), text)
    option = _OPTIONS.get(parameter or "")
    return f"{option}: {text}" if option and option not in text else text


def again(
    *more: str,
    out: Path | None = None,
    max_cost: float | None = None,
    replays: bool = True,
    retry: bool = True,
    options: Mapping[str, str | None] | None = None,
) -> str:
    """Return the command line that was given, with ``more`` options that it lacks.

    Secrets are left out of it. ``out`` and ``max_cost`` replace the values of its ``--out`` and
    ``--max-cost``; ``--replay`` is left out where it no longer ``replays``,
    ``--retry-errors`` where it must not ``retry``, and ``--fresh`` always, which would set aside
    what there is again. ``options`` have values in the place of those given; None leaves one out.
    """
    dropped = ["--fresh"] if retry else ["--fresh", "--retry-errors"]
    words = [word for word in sys.argv[1:] if word not in dropped]
    changed: dict[str, str | None] = {} if replays else {"--replay": None}
    if max_cost is not None:
        changed["--max-cost"] = f"{max_cost:g}"
    if out is not None:
        changed["--out"] = str(out)
    for option, value in {**changed, **(options or {})}.items():
        words = [  # Without the option, whose value follows it or stands behind a "=".
            word
            for before, word in zip(["", *words], words, strict=False)
            if option not in (before, word) and not word.startswith(f"{option}=")
        ]
        words += [] if value is None else [option, value]
    line = shlex.join([program(), *words, *(word for word in more if word not in words)])
    safe = redact(line)
    return safe if safe == line else f"{safe} (put your own in the place of [secret])"


def to_resume(
    max_cost: float | None = None, spent: float = 0, out: Path | None = None, verb: str = "resume"
) -> str:
    """Return how to resume what stopped; with as much money once more where it reached a limit."""
    if max_cost is None:
        return f"To {verb}: {again(out=out)}"
    limit = max(max_cost, spent) + max_cost
    return f"To {verb} with a higher limit: {again(out=out, max_cost=limit)}"


@contextmanager
def explain_stop(
    spec: RunSpec, work: str = "run", out: Callable[[Path], Path | None] = lambda folder: None
) -> Iterator[None]:
    """Say of a run, a sweep or a race that is stopped the commands that resume it.

    ``out`` returns the folder that they name, if any, of the one that the run has.
    """
    from mabench.runs import RunStoppedError

    try:
        yield
    except RunStoppedError as stop:
        summary, place = stop.run.summary, out(stop.folder)
        lines = [f"the {work} stopped: {stop.reason}"]
        if stop.not_kept and (folder := spec.agent.replies.replay):
            lines.append(after_a_miss(folder, place))
        else:
            limit = spec.max_cost if stop.by_cost else None
            lines.append(to_resume(limit, summary.dollars or 0.0, place))
            if summary.spent.errors:
                lines.append("To ask again what failed, add --retry-errors.")
        raise MabenchError("\n".join(lines)) from None


def after_a_miss(folder: Path, out: Path | None = None, cache: bool = True) -> str:
    """Return how to resume what lacks a reply in ``folder``; ``cache``: kept with ``--cache``."""
    asking = again(*["--cache"] * cache, out=out, replays=False)
    return (
        f"To resume, once the reply is kept there: {again(out=out)}\n"
        f"To ask the server for what is not kept, and keep it there: "
        f"MABENCH_CACHE={shlex.quote(str(folder))} {asking}"
    )


def complete_spec(spec: RunSpec, fail_fast: bool) -> RunSpec:
    """Return a run with the command that was given, without secrets; ``fail_fast``: one error."""
    limits = replace(spec.limits, max_errors=1) if fail_fast else spec.limits
    command = redact(shlex.join(["mabench", *map(_redact_word, sys.argv[1:])]))
    fit = command.encode("utf-8", "backslashreplace").decode("utf-8")  # A path can be any bytes.
    return replace(spec, limits=limits, command=fit)


def _redact_word(word: str) -> str:
    """Return a word of the command line as it may be stored; NAME=VALUE by its names, too."""
    name, equals, value = redact(word).partition("=")
    if not equals:
        return name
    safe = redact_setting(name, value)
    return safe if safe != f"{name}={value}" else f"{name}={_redact_word(value)}"
