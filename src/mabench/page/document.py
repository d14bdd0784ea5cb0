"""Assembles a page as one HTML file, with the questions of runs for its script.

The file fetches nothing and runs only its own script: its policy names the hash of that script.
Every text is escaped.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
from collections.abc import Iterable, Mapping, Sequence
from importlib import resources
from string import ascii_uppercase
from typing import Any, NamedTuple

from mabench._version import __version__
from mabench.data.inventory import split_rank
from mabench.errors import require
from mabench.inspection import look_up
from mabench.json_text import Json, to_json
from mabench.page.charts import Dot
from mabench.printable import printable
from mabench.reports.answers.telling import describe_support
from mabench.reports.sentences import say
from mabench.reports.tables import Table, retitle
from mabench.results import PARTS, THESE, Key, Mark, ReadPassage, Run, ScoredQuestion
from mabench.scoring import RULES
from mabench.text.spans import Span, cut_excerpt

# The size of the packed questions; a page may have 6 MB in all.
_MOST_BYTES = 4_500_000
# The lengths to which texts are cut, until the questions fit.
_LONGEST_TEXTS = (4000, 1500, 500, 150, 60)
# How many passages of a result are shown with their texts, besides those that hold evidence or a
# gold answer; and up to how many results on a page.
_MOST_TEXTS, _MOST_RESULTS_WITH_TEXTS = 3, 6_000
_LONGEST_WORDS = 2_000  # Characters of a judge's own words.
# A page of more questions has no prompts; of a longer prompt it has the end, which asks.
_MOST_PROMPTED, _LONGEST_PROMPT = 2_000, 4_000
_LONGEST_SUPPORT = 600  # Characters of a statement that a question rests on.
# How many passages and gold answers are listed.
_MOST_PASSAGES = 20
_MOST_GOLDS = 50
# Characters that are shown on each side of a gold answer.
_AROUND = 160


class Chart(NamedTuple):
    """A drawing with its title, its values as a table, and notes."""

    title: str
    drawing: str  # As SVG.
    table: Table
    notes: Sequence[str] = ()


class Section(NamedTuple):
    """A section of a page; its parts are shown in the order of the fields.

    ``name`` is its anchor in the address. Of the ``pairs`` of runs, one is shown at a time.
    ``strips`` are histories by source. ``links`` are the addresses of first cells of tables.
    ``folded`` tables are shown on demand, under their titles.
    """

    name: str
    title: str
    sentences: Sequence[str] = ()
    findings: Sequence[str] = ()
    charts: Sequence[Chart] = ()
    tables: Sequence[Table] = ()
    notes: Sequence[str] = ()
    pairs: Sequence[Section] = ()
    parts: Sequence[Section] = ()  # Each under a heading of its own.
    strips: Sequence[tuple[str, Sequence[Mapping[str, Any]]]] = ()
    links: Mapping[str, str] | None = None
    folded: Sequence[tuple[str, Table]] = ()
    is_later: bool = False  # Whether it follows the list of questions.


class Tile(NamedTuple):
    """One figure at the top of a page."""

    label: str
    value: str
    note: str = ""


def interval_notes(dots: Sequence[Dot]) -> list[str]:
    """Return what the lines through the dots mean; nothing if there are none."""
    notes = []
    if any(dot.these for dot in dots):
        notes.append(say("these_lines", mark=THESE))
    if any(dot.new for dot in dots):
        notes.append("Thin lines: the 95 % interval for new histories like these.")
    return [" ".join(notes)] if notes else []


def require_packages() -> None:
    """Raise a ``MissingPackageError`` if the packages that a page needs are not installed."""
    for module in ("vl_convert", "jinja2"):
        require(module, "page")


def render(
    name: tuple[str, str],
    tiles: Iterable[Tile],
    sections: Iterable[Section],
    settings: Section,
    titles: Mapping[str, str] | None = None,
    explorer: Mapping[str, Any] | None = None,
    served: str | None = None,
) -> str:
    """Return a page as HTML.

    ``name`` is its title and subtitle. ``titles`` replace the names of sources. ``explorer`` holds
    the questions and their filters; see ``explorer_of``. A page that is ``served``, as ``live``
    list of runs or as ``run``, may ask its own server; any other fetches nothing.

    Raises:
        MissingPackageError: when a package is missing.
    """
    jinja2 = require("jinja2", "page")
    environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(read_asset),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=lambda value: printable(value) if type(value) is str else value,
    )
    script = read_asset(explorer["script"]) + read_asset("page.js") if explorer else ""
    if served == "live":
        script = read_asset("live.js")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode("ascii")
    shown = retitle([*sections], titles or {})
    html: str = environment.get_template("page.html").render(
        page={"title": name[0], "subtitle": name[1], "tiles": tiles},
        sections=[section for section in shown if not section.is_later],
        later=[*(section for section in shown if section.is_later), settings],
        explorer=explorer,
        served=served,
        style=read_asset("page.css"),
        script=script,
        policy=f"'sha256-{digest}'" if script else "'none'",
        version=__version__,
    )
    return html


def name_page(own: str | None, title: str, subtitle: str) -> tuple[str, str]:
    """Return title and subtitle of a page; under a user's ``own`` title, what it shows follows."""
    if own is None or not own.strip():
        return title, subtitle
    return own.strip(), f"{title}: {subtitle}"


def read_asset(name: str) -> str:
    """Return a file of the page's template, style or script."""
    return resources.files("mabench.page").joinpath("assets", name).read_text(encoding="utf-8")


def questions_of(run: Run) -> list[ScoredQuestion]:
    """Return the questions of a run with their background, in the order of the data.

    Raises:
        DataError: when the run cannot be read.
    """

    def place_in_data(question: ScoredQuestion) -> tuple[int, str, int]:
        """Return what sorts questions as the data do: by their split, and then by their row."""
        split, row = question.place
        return split_rank(split), split, row

    in_order = sorted(run.questions(), key=place_in_data)
    return list(look_up(run, in_order, prompts=len(in_order) <= _MOST_PROMPTED))


def explorer_of(
    names: Sequence[str],
    folders: Sequence[str],
    runs: Sequence[Sequence[ScoredQuestion]],
    titles: Mapping[str, str],
    data_page: str | None = None,
    marks: Sequence[Mark] = (),
    *,
    served: bool = False,
) -> dict[str, Any]:
    """Return the questions of runs for the page's script, with columns and filters of their list.

    The questions of the first run are listed, each with the results of all runs. ``names`` are
    those of the agents. ``data_page`` is the address of the page of their data, if there is one.
    ``marks`` are what people said of the questions of a single run; they are sent to the server of
    a page that is ``served``, and saved as a file from any other.
    """
    if len(runs) > 1:
        columns = ["Question", "Gold", "Runs"]
    else:
        columns = ["Question", "Gold", "Answer", "Rank", "Cause"]
    return {
        "script": "run.js",
        "data": pack([*_describe_questions(runs, marks)], _MOST_BYTES, _LONGEST_TEXTS),
        "about": {
            "names": names,
            "folders": folders,
            "titles": titles,
            "data": data_page,
            "parts": {name: part.words for name, part in PARTS.items()},
            "heads": {name: part.head for name, part in PARTS.items()},
            "served": served,
        },
        "total": len(runs[0]),
        "columns": columns,
        "menus": _make_menus(runs, titles),
        "texts": "in questions, golds, answers",
        "notes": _list_notes(runs),
    }


def _describe_questions(
    runs: Sequence[Sequence[ScoredQuestion]], marks: Sequence[Mark]
) -> list[dict[str, Any]]:
    """Return the questions of the first run with the results of all, and what people marked."""
    questions = runs[0]
    results = [{question.key: question for question in run} for run in runs]
    texts = _MOST_TEXTS if len(questions) * len(runs) <= _MOST_RESULTS_WITH_TEXTS else 0
    marks_by_question: dict[Key, dict[str, Json]] = {}
    for mark in marks:
        marks_by_question.setdefault(mark.key, {})[mark.mark] = mark.note
    all_described = []
    for question in questions:
        of_runs = [of_run.get(question.key) for of_run in results]
        described = _describe_question(question, of_runs, texts)
        if question.key in marks_by_question:
            described["marks"] = marks_by_question[question.key]
        all_described.append(described)
    return all_described


def _make_menus(
    runs: Sequence[Sequence[ScoredQuestion]], titles: Mapping[str, str]
) -> list[tuple[str, str, str, dict[str, str]]]:
    """Return the menus that filter questions.

    Each has an id, a label, the option that filters nothing, and the others by their values.
    """
    names = dict.fromkeys(question.sample.source for question in runs[0])
    sources = {name: titles.get(name, name) for name in names}
    menus = [("source", "Source", "all", sources)]
    if len(runs) > 1:
        menus.append(("outcome", "Outcome", "any", _list_outcomes(len(runs))))
    menus.append(("cause", "Cause", "any", _list_causes(runs)))
    return menus


def _list_notes(runs: Sequence[Sequence[ScoredQuestion]]) -> list[str]:
    """Return what is not on the page of the questions, and why."""
    reasons = (question.background.without for run in runs for question in run)
    passages = "Passages are shown only by chunk number"
    notes = [f"{passages}: {reason}" for reason in dict.fromkeys(reasons) if reason]
    questions = runs[0]
    if len(questions) > _MOST_PROMPTED and any(question.sample.prompt for question in questions):
        notes.append("With this number of questions, prompts are not on the page.")
    return notes


def _list_outcomes(runs: int) -> dict[str, str]:
    """Return the options of the menu of outcomes, by value; ``only:0`` is for the first run."""
    only = {
        f"only:{place}": f"only {ascii_uppercase[place]} right, or better" for place in range(runs)
    }
    return {**only, "all": "all right", "none": "none right", "differ": "scores differ"}


def _list_causes(runs: Sequence[Sequence[ScoredQuestion]]) -> dict[str, str]:
    """Return the options of the menu of causes, by value: the parts that each run has.

    ``1:missed`` is for what the second run missed.
    """
    causes = {}
    for place, run in enumerate(runs):
        parts = {question.part for question in run}
        for name, part in PARTS.items():
            if name in parts:
                head = part.head.lower()
                if len(runs) > 1:
                    head = f"{ascii_uppercase[place]} {head}"
                causes[f"{place}:{name}"] = head
    return causes


def pack(content: Json, most: int, lengths: Sequence[int]) -> str:
    """Return content for a page's script, as base64 of gzipped JSON.

    Texts are cut to the first of ``lengths`` with which the result has at most ``most`` bytes.
    """
    text = ""
    for longest in lengths:
        shortened = to_json(_shorten(content, longest))
        text = base64.b64encode(gzip.compress(shortened.encode(), 9, mtime=0)).decode("ascii")
        if len(text) <= most:
            break
    return text


def _shorten(value: Json, longest: int) -> Json:
    """Return JSON with all texts cut to a length."""
    if isinstance(value, Mapping):
        return {name: _shorten(part, longest) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [_shorten(part, longest) for part in value]
    if isinstance(value, str):
        return _trim(value, longest)
    return value


def _describe_question(
    question: ScoredQuestion, of_runs: Sequence[ScoredQuestion | None], texts: int
) -> dict[str, Json]:
    """Return a question and its results for the page's script.

    The first ``texts`` passages of each have their texts, whatever they hold.
    """
    sample, background = question.sample, question.background
    # The chunks of golds; and what is shown: statements that a question rests on, or if none are
    # known, the first gold with the text around it.
    golds, mention, support = list[Json](), list[Json](), list[Json]()
    for statement in background.support or ():
        depth = None if statement.depth is None else round(statement.depth, 1)
        support.append([statement.chunk, depth, [_trim(statement.text, _LONGEST_SUPPORT)]])
    for gold in (background.golds or ())[:_MOST_GOLDS]:
        golds.append(gold.chunk)
        if not mention and gold.text is not None and not support:
            depth = None if gold.depth is None else round(gold.depth, 1)
            mention = [gold.chunk, depth, parts_of(gold.text, gold.marks, _AROUND)]
    return {
        "id": f"{sample.split}/{sample.row}/{sample.question_index}",
        "source": sample.source,
        "row": sample.row,
        "index": sample.question_index,
        "question": sample.question,
        "answers": list[Json](dict.fromkeys(sample.answers))[:_MOST_GOLDS],
        "after": sample.asked_after,
        "golds": None if background.golds is None else golds,
        "support": support or None,
        "mention": mention or None,
        "chunks": background.chunks,
        "results": [_describe_result(of_run, texts) if of_run else None for of_run in of_runs],
    }


def _describe_result(question: ScoredQuestion, texts: int) -> Json:
    """Return the result of one run on a question, for the page's script."""
    sample, background, rule = question.sample, question.background, question.rule
    passages = background.passages
    judges = []
    for judgment in background.judgments:
        verdict = ", ".join(f"{name} {number}" for name, number in (judgment.verdict or {}).items())
        lines = f"{judgment.model}: {judgment.error or verdict}"
        if judgment.words:
            lines += f"\n{judgment.words[:_LONGEST_WORDS]}"
        judges.append(lines)
    with_golds = [passage.rank for passage in passages if question.mentions_gold(passage)]
    with_evidence = [passage.rank for passage in passages if passage.evidence]
    with_texts = {*range(1, texts + 1), *with_golds[:1], *with_evidence}
    fields: dict[str, Json] = {
        "part": question.part,
        "official": _round(question.official),
        "corrected": _round(question.corrected),
        "rule": f"{rule} ({RULES[rule]})" if rule and rule in RULES else rule,
        "answer": sample.prediction,
        "error": sample.error,
        "hit": sample.hit,
        "by": None if sample.hit is None else sample.hit_by,
        "support": None if question.seen is None else describe_support(question.seen),
        "passages": [
            _describe_passage(question, passage, with_text=passage.rank in with_texts)
            for passage in passages[:_MOST_PASSAGES]
        ],
        "more": max(0, len(passages) - _MOST_PASSAGES) or None,
        "judges": list[Json](judges),
        "prompt": background.prompt and background.prompt[-_LONGEST_PROMPT:],
        "ranks": None if sample.evidence_ranks is None else [*sample.evidence_ranks],
        "seconds": _round(question.seconds),
        "search": _round(question.search_seconds),
        "in": sample.input_tokens,
        "out": sample.output_tokens,
        "cost": None if sample.cost is None else float(sample.cost),
    }
    return {name: value for name, value in fields.items() if value is not None and value != []}


def _describe_passage(question: ScoredQuestion, passage: ReadPassage, *, with_text: bool) -> Json:
    """Return a retrieved passage for the page's script."""
    score = _round(passage.score)
    fields: dict[str, Json] = {"rank": passage.rank, "chunk": passage.chunk, "score": score}
    mentions_gold = question.mentions_gold(passage)
    if mentions_gold is not None:
        fields["gold"] = mentions_gold
    if passage.evidence:
        fields["evidence"] = True
    if with_text and passage.text is not None:
        golds = () if question.background.golds is None else passage.marks
        excerpt, marks = cut_excerpt(passage.text, golds, _AROUND)
        fields["text"] = parts_of(excerpt, marks, _AROUND)
    return fields


def parts_of(text: str, marks: Sequence[Span], longest: int) -> list[Json]:
    """Return a text in parts; every second one is marked, and cut to a length.

    The first part is before the first mark, and may be empty.
    """
    parts: list[Json] = []
    place = 0
    for start, end in marks:
        parts += [text[place:start], _trim(text[start:end], longest)]
        place = end
    return [*parts, text[place:]]


def _trim(text: str, longest: int) -> str:
    if len(text) <= longest:
        return text
    return f"{text[:longest]}\N{HORIZONTAL ELLIPSIS} [{len(text) - longest:,} characters more]"


def _round(value: float | None) -> float | None:
    """Return a number with four significant digits."""
    return None if value is None else float(f"{value:.4g}")
