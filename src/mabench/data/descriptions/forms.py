"""What a description says: a TOML file whose words say how a benchmark's files are read.

A path names fields one after the other, as in ``conversation.session_{number}``, where ``{number}``
stands for any number. Another name in braces stands for any name; what is found there can be used
in other templates. ``[]`` after a field means each item of its list. A text with a colon, such as
``package.module:text``, is a function that reads what no path can say.
"""

from __future__ import annotations

from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator

from mabench.data.inventory import Source
from mabench.data.problems import describe
from mabench.errors import DataError, UsageError, reason
from mabench.plugins import Group, load_plugin
from mabench.userfile import read_toml_file


class Form(BaseModel):
    """A table of a description."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


def _load_function(value: object) -> object:
    """Return the function that a text names; any other value as it is."""
    if not isinstance(value, str) or ":" not in value:
        return value
    try:
        return load_plugin(EntryPoint(value, value, Group.FORMATS), "function")
    except UsageError as error:
        raise ValueError(str(error)) from error


# A function by its name, or the name of a field that one could read.
FunctionOrField = Annotated[Any, BeforeValidator(_load_function)]


class SourceForm(Form):
    """A source that the rows of a benchmark may have."""

    name: str
    split: str  # What reports call the benchmark.
    family: str  # Which says how its questions are asked and scored.
    asked_after: Literal["turn", "time"] | None = None  # By what every question says what it knows.
    metric: str | None = None  # The metric of the family that counts, where it is another one.

    @property
    def source(self) -> Source:
        """The source itself."""
        after = self.asked_after
        return Source(self.name, self.split, self.family, metric=self.metric, asked_after=after)


class HistoryForm(Form):
    """Where the sessions and turns of a history are, and how they become its text."""

    sessions: str = ""  # The path of the sessions; empty if the whole object is one.
    # A field of each session, or the path of a list with one item for each: ``haystack_dates[]``.
    # A path that holds ``{number}`` has that of the session.
    names: str | None = None
    dates: str | None = None
    # By ``time``, sessions are sorted by their dates; else they stay in the order of the file.
    order: Literal["file", "time"] = "file"
    # Whether sessions are numbered instead of named, since their names say where answers are.
    renamed: bool = False
    turns: str = ""  # The path of the turns in a session; empty if the session is a list of them.
    text: FunctionOrField = "text"  # What was said.
    id: str = "{session}:{number}"  # A field, or a template with ``{session}`` and ``{number}``.
    role: str | None = None
    speaker: str | None = None
    time: str | None = None  # The field of a turn with its own time.
    user: str | None = None
    marks: str | None = None  # A field that marks turns with the answer, which no agent is told.
    uses: tuple[str, ...] = ()  # Further fields of turns that a function reads.
    session_uses: tuple[str, ...] = ()  # Further fields of sessions that are read.
    heading: str = "{speaker}: "  # What precedes each turn.
    ending: str = "\n"  # What follows each turn.
    between: str = ""  # What separates two sessions.
    # A function that yields every turn as ``Said``, instead of all the above but the last three.
    said: FunctionOrField = None


class QuestionsForm(Form):
    """Where the questions about a history are, with what belongs to each."""

    list: str = ""  # The path of the questions; empty if the whole object is one.
    each: FunctionOrField = None  # A function that yields them.
    text: FunctionOrField = "question"
    asked: str = "{question}"  # How a question is put: ``{question}``, ``{date}`` and fields.
    # A template of fields of the question and of the object, ``{source}``, ``{index}`` in its list
    # and ``{row}`` in its file.
    id: str = "{index}"
    question_id: str | None = None  # The field with the benchmark's own id.
    type: str | None = None  # A field, or a value of the path such as ``{type}``.
    types: dict[str, str] = {}  # The names of types that the file numbers.
    # The gold: a field or several, the first that is not null; with options, a letter or a text.
    answer: FunctionOrField = "answer"
    options: FunctionOrField = None  # A list of texts, or an object of texts by letter.
    date: str | None = None  # When it is asked.
    evidence: FunctionOrField = None  # The ids of turns, or of sessions, that it rests on.
    rubric: FunctionOrField = None  # A list of what a good answer says.
    asked_after: FunctionOrField = None  # The id of the last turn, or the time, that it may know.
    uses: tuple[str, ...] = ()  # Further fields of questions that are read.


class LeftOutForm(Form):
    """What a row has instead of the fields that are left out, by their names."""

    fields: dict[str, str] = {}
    otherwise: str = "the fields that the description names"
    questions: str | None = None  # The same of questions that are in a file of their own.


class Description(Form):
    """A benchmark: how its files are recognized and read, and what is known of it."""

    published: str  # What its files are called.
    items: str = "objects"  # What a file lists.
    licence: str = ""
    citation: str = ""
    faults: tuple[str, ...] = ()  # Known faults of the data.
    fields: tuple[str, ...] = ()  # What every object has, and no row of ours.
    # Returns whether an object that has these fields is of this benchmark.
    fits: FunctionOrField = None
    # Of several files: a function that finds them at a path, and one that yields their objects.
    find: FunctionOrField = None
    join: FunctionOrField = None
    sources: tuple[SourceForm, ...] = ()
    # A function that returns the names of those at a path, where they are not all of them.
    sources_at: FunctionOrField = None
    source: str | None = None  # Which of several sources an object is of: a template of its fields.
    uses: tuple[str, ...] = ()  # Further fields of an object that are read.
    history: HistoryForm = Field(default_factory=HistoryForm)
    questions: QuestionsForm = Field(default_factory=QuestionsForm)
    left_out: LeftOutForm = Field(default_factory=LeftOutForm)

    @model_validator(mode="after")
    def _is_recognized(self) -> Description:
        if (self.find is None) != (self.join is None) or not (self.fields or self.find):
            raise ValueError("name the `fields` of its objects, or the functions `find` and `join`")
        return self


def read_description(file: Path) -> Description:
    """Return what a description file says; raises ``DataError`` with file, field and remedy."""
    try:
        return Description.model_validate(_with_tuples(read_toml_file(file)))
    except ValidationError as error:
        lines = []
        for fault in error.errors(include_url=False):
            place = ".".join(map(str, fault["loc"]))
            found = describe(fault["input"]) if fault["loc"] else "a description"
            lines.append(f"{file}, {place or 'the whole'}: found {found}; expected {fault['msg']}")
        raise DataError("\n".join(lines)) from error
    except (OSError, ValueError) as error:
        raise DataError(f"{file}: found {reason(error)}; expected a description in TOML") from error


def _with_tuples(value: Any) -> Any:
    """Return a TOML value with tuples for lists, which nobody can change."""
    if isinstance(value, dict):
        return {name: _with_tuples(one) for name, one in value.items()}
    return tuple(map(_with_tuples, value)) if isinstance(value, list) else value
