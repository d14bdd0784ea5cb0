"""Makes rows of EventQA: a long story, and which of six events comes next.

All options have the same people and mention things that occur nearby, in other words than the
story. Some of them did happen, but before the listed events or after the true one.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from random import Random

from mabench.data.schema import RowContent
from mabench.errors import UsageError
from mabench.printable import write_count
from mabench_synthetic.generator import (
    Generator,
    Knob,
    QAPair,
    RowSpec,
    id_stem_of,
    random_stream,
    row_content,
)
from mabench_synthetic.story import Story, StoryEvent, make_story, summarize

OPTIONS = 6
# How many events before and after the true one count as near it.
_NEAR = 40
# How often an option that does not fit makes us allow one more option about the same thing.
_GIVES_WAY = 0.01
# When this many options may speak of one thing, the deeds with the things at hand are used up.
_USED_UP = 2 * OPTIONS


class _WrongOptions:
    """Makes wrong options for the events of a story.

    Some did happen, but before the events that a question lists or after the true one. The others
    never happen: the same people do something else, or with another thing, or at another place.
    ``asked`` are the places (in ``events``) of all events that are asked for.
    """

    def __init__(
        self,
        rng: Random,
        events: Sequence[StoryEvent],
        asked: Sequence[int],
        knobs: Mapping[str, int | float],
    ) -> None:
        self._rng = rng
        self._events = events
        self._counts = Counter(events)
        self._alike: defaultdict[tuple[frozenset[str], bool], list[int]] = defaultdict(list)
        self._places: defaultdict[str, set[str]] = defaultdict(set)
        for i, event in enumerate(events):
            self._alike[_people(event), bool(event.place)].append(i)
            self._places[event.kind].add(event.place)
        self._asked = {events[place] for place in asked}
        self._kinds = [events[place].kind for place in asked]
        self._things, self._elsewhere = int(knobs["things"]), int(knobs["elsewhere"])

    def around(self, place: int, last: int) -> list[StoryEvent]:
        """Return wrong options for the event at ``place``; a question lists events up to ``last``.

        Raises:
            UsageError: when the story is too short for them.
        """
        gold = self._events[place]
        wrong = list(self._from_elsewhere(place, last))[: self._elsewhere]
        things = self._things_near(place, [gold, *wrong])
        place_names = sorted(self._places[gold.kind])
        most_of_thing = math.ceil(OPTIONS / len(things))
        while len(wrong) < OPTIONS - 1:
            event = self._like(gold, things, place_names)
            of_thing = [option for option in (gold, *wrong) if option.thing == event.thing]
            is_new = event not in self._counts and event not in wrong
            if is_new and len(of_thing) < most_of_thing:
                wrong.append(event)
            elif self._rng.random() < _GIVES_WAY:
                most_of_thing += 1
                if most_of_thing > _USED_UP:
                    more = self._another_thing(things)
                    if most_of_thing > 2 * _USED_UP and not more:
                        raise UsageError(
                            "a story this short has too few things for the wrong options; ask for "
                            "more tokens"
                        )
                    things += more
        return wrong

    def _another_thing(self, things: Sequence[str]) -> list[str]:
        """Return one more thing of the story, in a list; an empty list if there is no other."""
        others = sorted({event.thing for event in self._events} - {"", *things})
        return self._rng.sample(others, min(1, len(others)))

    def _from_elsewhere(self, place: int, last: int) -> Iterator[StoryEvent]:
        """Yield events of the same people that do not come next, the nearest first.

        Events between ``last`` and ``place`` are left out: they would come before the true event.
        """
        gold = self._events[place]
        alike = self._alike[_people(gold), bool(gold.place)]
        others = [other for other in alike if other < last or other > place]
        for other in sorted(others, key=lambda i: abs(i - place)):
            event = self._events[other]
            if event.thing and self._counts[event] == 1 and event not in self._asked:
                yield event

    def _things_near(self, place: int, options: Sequence[StoryEvent]) -> list[str]:
        """Return the things in the options, and others that are mentioned nearby."""
        found = list(dict.fromkeys(option.thing for option in options))
        near = self._events[max(0, place - _NEAR) : place + _NEAR]
        more = sorted({event.thing for event in near} - {"", *found})
        wanted = max(0, self._things - len(found))
        return found + self._rng.sample(more, min(wanted, len(more)))

    def _like(self, gold: StoryEvent, things: Sequence[str], places: Sequence[str]) -> StoryEvent:
        """Return something else that the people of ``gold`` could have done."""
        thing = self._rng.choice(things)
        kinds = [kind for kind in self._kinds if _kind_has_place(kind) == bool(gold.place)]
        kind = self._rng.choice(kinds)
        if gold.place:
            return StoryEvent(kind, gold.actor, thing, place=self._rng.choice(places))
        actor, other = self._rng.sample((gold.actor, gold.other), 2)
        return StoryEvent(kind, actor, thing, other)


def _can_be_asked(event: StoryEvent) -> bool:
    """Return whether an event has enough parts to be confused with others of the same people."""
    return bool(event.thing and (event.other or event.place))


def _kind_has_place(kind: str) -> bool:
    """Return whether events of a kind that can be asked for happen at a place."""
    return kind in ("find", "hide")


def _people(event: StoryEvent) -> frozenset[str]:
    """Return the one or two people in an event."""
    return frozenset({event.actor, event.other} - {""})


_KNOBS = (
    Knob("things", 5, 1, 6, "things that the options of a question mention; fewer are harder"),
    Knob("elsewhere", 1, 0, 5, "most wrong options that happen earlier or later"),
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
    """Make a row of questions that go through a story from its start to its end.

    Rows with the same number and seed share their story, cut to the length of each source.

    Raises:
        UsageError: when the story is too short for that many events.
    """
    story = _story(spec, spec.tokens)
    rng = random_stream(spec.seed, "eventqa", spec.row, spec.source)
    places = _milestones(rng, story, spec)
    wrong = _WrongOptions(rng, story.events, places, spec.knobs)

    def told(event: StoryEvent) -> str:
        return summarize(rng, event, spec.knobs["renamed"])

    sentences = [told(story.events[place]) for place in places]
    pairs = []
    for i, gold in enumerate(sentences[1:], start=1):
        options = [gold, *map(told, wrong.around(places[i], places[i - 1]))]
        rng.shuffle(options)
        question = _question(sentences[:i], int(spec.knobs["shown"]), options)
        pairs.append(QAPair(question, (gold,), (story.told[places[i]],)))
    previous = [f"{i}. {event}" for i, event in enumerate(sentences[:-1], start=1)]
    return row_content(
        spec.source, story.text, pairs, id_stem=id_stem_of(spec), previous_events=previous
    )


def _milestones(rng: Random, story: Story, spec: RowSpec) -> list[int]:
    """Return the places of one more event than there are questions, spread evenly over the story.

    Only events that happen once are used, so that the order of any two is certain. Each part of the
    story gives an event of the kind that was chosen least often so far, so that no kind is likelier
    to be right.
    """
    once = _once(story)
    questions = spec.questions
    if len(once) <= questions:
        held = write_count(max(0, len(once) - 1), "question")
        raise UsageError(
            f"a story this short holds only {held}, not {questions}; "
            f"ask for at most that many, or for {_long_enough(spec, len(once)):,} tokens"
        )
    chosen: Counter[str] = Counter()  # How often each kind was chosen so far.
    places = []
    bounds = [i * len(once) // (questions + 1) for i in range(questions + 2)]
    for start, end in pairwise(bounds):
        part = once[start:end]
        place = min(part, key=lambda i: (chosen[story.events[i].kind], rng.random()))
        chosen[story.events[place].kind] += 1
        places.append(place)
    return places


def _story(spec: RowSpec, tokens: int) -> Story:
    """Return the story of a row, at any length; rows of other sources share it."""
    return make_story(random_stream(spec.seed, "eventqa", spec.row), tokens)


def _once(story: Story) -> list[int]:
    """Return the places of the events that can be asked for and happen only once."""
    counts = Counter(story.events)
    return [
        place
        for place, event in enumerate(story.events)
        if _can_be_asked(event) and counts[event] == 1
    ]


def _long_enough(spec: RowSpec, held: int) -> int:
    """Return a length that is enough for a row's questions; its own has only ``held`` events.

    Longer stories repeat themselves more, so the first guess may be too short.
    """
    tokens, events = spec.tokens, held
    for _ in range(_GUESSES):
        # In proportion, five percent more, rounded up to a hundred.
        tokens = math.ceil(1.05 * tokens * (spec.questions + 1) / max(1, events) / 100) * 100
        events = len(_once(_story(spec, tokens)))
        if events > spec.questions:
            break
    return tokens


def _question(events: list[str], most: int, options: list[str]) -> str:
    """Return the text of a question: the latest events, at most ``most``, and the options."""
    numbered = [f"{i}. {event}" for i, event in enumerate(events, start=1)]
    shown = ["...", *numbered[-most:]] if len(numbered) > most else numbered
    return (
        "These are the events that have already occurred:\n\n"
        + "\n".join(shown)
        + "\n\n\nBelow is a list of possible subsequent events:\n\n"
        + f"{options!r}\n\n{_TASK}"
    )


GENERATOR = Generator(family="eventqa", make_row=_make_row, knobs=_KNOBS)
