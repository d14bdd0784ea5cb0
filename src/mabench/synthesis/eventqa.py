"""EventQA rows: a long story, and which of six events comes next after those listed."""

from __future__ import annotations

from random import Random

from mabench.dataset.schema import RowContent
from mabench.synthesis.rows import Item, row_content
from mabench.synthesis.story import Event, Story, make_story, summarize
from mabench.synthesis.streams import stream

_PEOPLE = 9
_EVENTS = 240
_QUESTIONS = 20
_SHOWN = 5
_WRONG_OPTIONS = 5
_TASK = (
    "Decide which one of the events above comes next in the story that you were told. Reply "
    "with the text of that event alone."
)


def make_rows(seed: int) -> list[RowContent]:
    """Return one row: a story, and questions that walk through it from start to end."""
    rng = stream(seed, "eventqa")
    story = make_story(rng, _PEOPLE, _EVENTS)
    events = milestones(story)
    told = [summarize(rng, event) for event in events]
    items = [
        Item(_question(told[: i + 1], _options(rng, story, events[i + 1], told[i + 1])), (gold,))
        for i, gold in enumerate(told[1:])
    ]
    previous = [f"{i}. {event}" for i, event in enumerate(told[:-1], start=1)]
    return [row_content("eventqa_full", story.text, items, previous_events=previous)]


def milestones(story: Story) -> list[Event]:
    """Return one event more than there are questions, spread evenly over the story.

    Only events that happen once count, so that the order of any two is beyond doubt.
    """
    once = [e for e in story.events if e.kind != "go" and story.events.count(e) == 1]
    return [once[i * len(once) // (_QUESTIONS + 1)] for i in range(_QUESTIONS + 1)]


def _question(told: list[str], options: list[str]) -> str:
    numbered = [f"{i}. {event}" for i, event in enumerate(told, start=1)]
    shown = ["..."] * (len(numbered) > _SHOWN) + numbered[-_SHOWN:]
    return (
        "These are the events that have already occurred:\n\n"
        + "\n".join(shown)
        + "\n\n\nBelow is a list of possible subsequent events:\n\n"
        + f"{options!r}\n\n{_TASK}"
    )


def _options(rng: Random, story: Story, event: Event, gold: str) -> list[str]:
    """Return the gold among events of its kind that never happen in the story.

    A wrong option may vary another wrong one: the gold must not stand out as the one that all
    the others resemble.
    """
    happened = set(story.events)
    wrong: dict[Event, str] = {}
    while len(wrong) < _WRONG_OPTIONS:
        altered = _altered(rng, story, rng.choice([event, *wrong]))
        if altered not in happened | wrong.keys() and altered.actor != altered.other:
            wrong[altered] = summarize(rng, altered)
    options = [gold, *wrong.values()]
    rng.shuffle(options)
    return options


def _altered(rng: Random, story: Story, event: Event) -> Event:
    """Return ``event`` with one or two of its parts taken from other events of the story."""
    fields = [name for name in ("actor", "thing", "other", "place") if getattr(event, name)]
    changes = {}
    for name in rng.sample(fields, rng.choice((1, 2))):
        values = sorted({getattr(e, name) for e in story.events} - {"", getattr(event, name)})
        changes[name] = rng.choice(values)
    return event._replace(**changes)
