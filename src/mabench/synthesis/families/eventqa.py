"""EventQA rows: a long story, and which of six events comes next after those listed."""

from __future__ import annotations

from collections import Counter
from random import Random

from mabench.data.schema import RowContent
from mabench.errors import UsageError
from mabench.synthesis.content import QAPair, row_content
from mabench.synthesis.generator import Generator, Knob, RowSpec, random_stream
from mabench.synthesis.story.story import Event, Story, make_story, summarize

_KNOBS = (
    Knob("changes", 2, 1, 3, "parts of an event that a wrong option may have otherwise, at most"),
    Knob("shown", 5, 1, 20, "how many of the latest events a question lists"),
)
_WRONG_OPTIONS = 5
_TASK = (
    "Decide which one of the events above comes next in the story that you were told. Reply "
    "with the text of that event alone."
)


def _make_row(spec: RowSpec) -> RowContent:
    """Make a row of questions that walk through a story from its start to its end.

    The rows of one number and seed share their story, cut at the length of each source.

    Raises:
        UsageError: when the story is too short for that many events.
    """
    story = make_story(random_stream(spec.seed, "eventqa", spec.row), spec.tokens)
    rng = random_stream(spec.seed, "eventqa", spec.row, spec.source)
    events = _milestones(story, spec.questions)
    sentences = [summarize(rng, event) for event in events]
    distractors = _Distractors(rng, story, int(spec.knobs["changes"]))
    shown = int(spec.knobs["shown"])
    pairs = [
        QAPair(_question(sentences[:i], shown, distractors.options(events[i], gold)), (gold,))
        for i, gold in enumerate(sentences[1:], start=1)
    ]
    previous = [f"{i}. {event}" for i, event in enumerate(sentences[:-1], start=1)]
    return row_content(spec.source, story.text, pairs, previous_events=previous)


def _milestones(story: Story, questions: int) -> list[Event]:
    """Return one event more than there are questions, spread evenly over the story.

    Only events that happen once count, so that the order of any two is beyond doubt.
    """
    counts = Counter(story.events)
    once = [event for event in story.events if event.kind != "go" and counts[event] == 1]
    if len(once) <= questions:
        raise UsageError(
            f"so short a story holds only {len(once)} events to ask for, not {questions + 1}; ask "
            "for fewer questions or more tokens"
        )
    return [once[i * len(once) // (questions + 1)] for i in range(questions + 1)]


def _question(events: list[str], most: int, options: list[str]) -> str:
    numbered = [f"{i}. {event}" for i, event in enumerate(events, start=1)]
    shown = ["..."] * (len(numbered) > most) + numbered[-most:]
    return (
        "These are the events that have already occurred:\n\n"
        + "\n".join(shown)
        + "\n\n\nBelow is a list of possible subsequent events:\n\n"
        + f"{options!r}\n\n{_TASK}"
    )


class _Distractors:
    """Makes wrong options: events that never happen in a story, out of those that do."""

    def __init__(self, rng: Random, story: Story, changes: int) -> None:
        self._rng = rng
        self._changes = changes
        self._happened = set(story.events)
        self._values = {
            name: sorted({getattr(event, name) for event in story.events} - {""})
            for name in ("actor", "thing", "other", "place")
        }

    def options(self, event: Event, gold: str) -> list[str]:
        """Return the gold among events of its kind that never happen in the story.

        A wrong option may vary another wrong one: the gold must not stand out as the one that
        all the others resemble.
        """
        wrong: dict[Event, str] = {}
        while len(wrong) < _WRONG_OPTIONS:
            altered = self._altered(self._rng.choice([event, *wrong]))
            taken = altered in self._happened or altered in wrong
            if not taken and altered.actor != altered.other:
                wrong[altered] = summarize(self._rng, altered)
        options = [gold, *wrong.values()]
        self._rng.shuffle(options)
        return options

    def _altered(self, event: Event) -> Event:
        """Return ``event`` with one part or more taken from other events of the story."""
        fields = [name for name in self._values if getattr(event, name)]
        count = min(len(fields), self._rng.randint(1, self._changes))
        changes = {
            name: self._rng.choice([v for v in self._values[name] if v != getattr(event, name)])
            for name in self._rng.sample(fields, count)
        }
        return event._replace(**changes)


GENERATOR = Generator(family="eventqa", make_row=_make_row, knobs=_KNOBS)
