"""EventQA rows: a long story, and which of six events comes next after those listed.

All options have the same people and speak of things that play a part nearby, in other words
than the story. Some did happen, but before what is listed or after the true one.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from random import Random

from mabench.data.schema import RowContent
from mabench.errors import UsageError
from mabench_synthetic.content import QAPair, row_content
from mabench_synthetic.families.eventqa.options import WrongOptions, can_be_asked
from mabench_synthetic.generator import Generator, Knob, RowSpec, random_stream
from mabench_synthetic.story.story import Event, Story, make_story, summarize

_KNOBS = (
    Knob("things", 5, 1, 6, "things that the options of a question speak of; fewer are harder"),
    Knob("elsewhere", 1, 0, 5, "wrong options that happen before or later, at most"),
    Knob("renamed", 0.25, 0.0, 1.0, "share of the things and places called by other words"),
    Knob("shown", 5, 1, 20, "how many of the latest events a question lists"),
)
_GUESSES = 6
_TASK = (
    "Decide which one of the events above comes next in the story that you were told: the first "
    "of them to happen after all that has already occurred. Reply with the text of that event "
    "alone."
)


def _make_row(spec: RowSpec) -> RowContent:
    """Make a row of questions that walk through a story from its start to its end.

    The rows of one number and seed share their story, cut at the length of each source.

    Raises:
        UsageError: when the story is too short for that many events.
    """
    story = _story(spec, spec.tokens)
    rng = random_stream(spec.seed, "eventqa", spec.row, spec.source)
    places = _milestones(rng, story, spec)
    wrong = WrongOptions(
        rng,
        story.events,
        places,
        things=int(spec.knobs["things"]),
        elsewhere=int(spec.knobs["elsewhere"]),
    )

    def told(event: Event) -> str:
        return summarize(rng, event, spec.knobs["renamed"])

    sentences = [told(story.events[place]) for place in places]
    pairs = []
    for i, gold in enumerate(sentences[1:], start=1):
        options = [gold, *map(told, wrong.around(places[i], places[i - 1]))]
        rng.shuffle(options)
        question = _question(sentences[:i], int(spec.knobs["shown"]), options)
        pairs.append(QAPair(question, (gold,), (story.told[places[i]],)))
    previous = [f"{i}. {event}" for i, event in enumerate(sentences[:-1], start=1)]
    return row_content(spec.source, story.text, pairs, previous_events=previous)


def _milestones(rng: Random, story: Story, spec: RowSpec) -> list[int]:
    """Return the places of one event more than there are questions, spread evenly over the story.

    Only events that happen once count, so that the order of any two is beyond doubt. Each part of
    the story gives an event of the kind that was chosen least before, so that no kind is likelier
    to be right.
    """
    once = _once(story)
    questions = spec.questions
    if len(once) <= questions:
        raise UsageError(
            f"so short a story holds only {max(0, len(once) - 1)} questions, not {questions}; ask "
            f"for that many at most, or for {_long_enough(spec, len(once)):,} tokens"
        )
    chosen: Counter[str] = Counter()
    places = []
    for part in _parts(once, questions + 1):
        places.append(min(part, key=lambda i: (chosen[story.events[i].kind], rng.random())))
        chosen[story.events[places[-1]].kind] += 1
    return places


def _story(spec: RowSpec, tokens: int) -> Story:
    return make_story(random_stream(spec.seed, "eventqa", spec.row), tokens)


def _once(story: Story) -> list[int]:
    """Return the places of the events that can be asked for and happen once."""
    counts = Counter(story.events)
    return [i for i, one in enumerate(story.events) if can_be_asked(one) and counts[one] == 1]


def _long_enough(spec: RowSpec, held: int) -> int:
    """Return a length that holds the questions of a row; of its own, ``held`` events are too few.

    Longer stories repeat themselves more, so the first guess may be too short.
    """
    tokens = spec.tokens
    for _ in range(_GUESSES):
        tokens = math.ceil(1.05 * tokens * (spec.questions + 1) / max(1, held) / 100) * 100
        held = len(_once(_story(spec, tokens)))
        if held > spec.questions:
            break
    return tokens


def _parts(places: Sequence[int], count: int) -> list[Sequence[int]]:
    bounds = [i * len(places) // count for i in range(count + 1)]
    return [places[start:end] for start, end in pairwise(bounds)]


def _question(events: list[str], most: int, options: list[str]) -> str:
    numbered = [f"{i}. {event}" for i, event in enumerate(events, start=1)]
    shown = ["..."] * (len(numbered) > most) + numbered[-most:]
    return (
        "These are the events that have already occurred:\n\n"
        + "\n".join(shown)
        + "\n\n\nBelow is a list of possible subsequent events:\n\n"
        + f"{options!r}\n\n{_TASK}"
    )


GENERATOR = Generator(family="eventqa", make_row=_make_row, knobs=_KNOBS)
