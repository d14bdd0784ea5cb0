"""Wrong options for what comes next: the same people, at about the same place in the story."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from random import Random
from typing import NamedTuple

from mabench.errors import UsageError
from mabench.synthesis.story.story import Event

OPTIONS = 6
# How many events before and after the true one count as near it.
_NEAR = 40


class _Parts(NamedTuple):
    """What wrong options for an event may be made of."""

    kinds: Sequence[str]
    things: Sequence[str]
    places: Sequence[str]

    def events_like(self, gold: Event) -> Iterator[Event]:
        """Yield everything that the people of ``gold`` could have done."""
        for kind in {*self.kinds}:
            for thing in self.things:
                if gold.place:
                    yield from (Event(kind, gold.actor, thing, place=at) for at in self.places)
                else:
                    yield Event(kind, gold.actor, thing, gold.other)
                    yield Event(kind, gold.other, thing, gold.actor)


class WrongOptions:
    """Makes wrong options for events of one story.

    Some did happen, but before the events that a question lists or after the true one. The others
    never happen: the same people do something else, or with another thing or at another place.
    ``asked`` are the places (in ``events``) of all events that are asked for.
    """

    def __init__(
        self,
        rng: Random,
        events: Sequence[Event],
        asked: Sequence[int],
        *,
        things: int,
        elsewhere: int,
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
        self._things = things
        self._elsewhere = elsewhere

    def around(self, place: int, last: int) -> list[Event]:
        """Return wrong options for the event at ``place``, when all up to ``last`` has occurred.

        Raises:
            UsageError: when the story is too short to make that many.
        """
        gold = self._events[place]
        wrong = list(self._from_elsewhere(place, last))[: self._elsewhere]
        parts = self._parts(gold, self._things_near(place, [gold, *wrong]), wrong)
        most = -(-OPTIONS // len(parts.things))
        while len(wrong) < OPTIONS - 1:
            event = self._like(gold, parts)
            of_thing = sum(option.thing == event.thing for option in (gold, *wrong))
            if event not in self._counts and event not in wrong and of_thing < most:
                wrong.append(event)
            elif self._rng.random() < 0.01:
                most += 1  # So few deeds are left for these things.
        return wrong

    def _parts(self, gold: Event, things: Sequence[str], wrong: Sequence[Event]) -> _Parts:
        """Return kinds, things and places that make options enough: the nearest where they do."""
        alike = [event for event in self._counts if bool(event.place) == bool(gold.place)]
        near = _Parts(
            [kind for kind in self._kinds if kind_has_place(kind) == bool(gold.place)],
            things,
            sorted(self._places[gold.kind]),
        )
        anywhere = _Parts(
            sorted({event.kind for event in alike if can_be_asked(event)}),
            sorted({event.thing for event in self._counts} - {""}),
            sorted({event.place for event in self._counts} - {""}),
        )
        for parts in (near, anywhere):
            new = {*parts.events_like(gold)} - self._counts.keys()
            if len(new) >= OPTIONS - 1 - len(wrong):
                return parts
        raise UsageError(
            "so short a story has too few things for the wrong options; ask for more tokens"
        )

    def _from_elsewhere(self, place: int, last: int) -> Iterator[Event]:
        """Yield events of the same people that are not next, the nearest first.

        What happens between ``last`` and ``place`` would come before the true event.
        """
        gold = self._events[place]
        alike = self._alike[_people(gold), bool(gold.place)]
        others = [other for other in alike if other < last or other > place]
        for other in sorted(others, key=lambda i: abs(i - place)):
            event = self._events[other]
            if event.thing and self._counts[event] == 1 and event not in self._asked:
                yield event

    def _things_near(self, place: int, options: Sequence[Event]) -> list[str]:
        """Return the things of the options, and others that are spoken of nearby."""
        found = list(dict.fromkeys(option.thing for option in options))
        near = self._events[max(0, place - _NEAR) : place + _NEAR]
        more = sorted({event.thing for event in near} - {"", *found})
        wanted = max(0, self._things - len(found))
        return found + self._rng.sample(more, min(wanted, len(more)))

    def _like(self, gold: Event, parts: _Parts) -> Event:
        """Return something that the people of ``gold`` could have done."""
        thing = self._rng.choice(parts.things)
        kind = self._rng.choice(parts.kinds)
        if gold.place:
            return Event(kind, gold.actor, thing, place=self._rng.choice(parts.places))
        actor, other = self._rng.sample((gold.actor, gold.other), 2)
        return Event(kind, actor, thing, other)


def can_be_asked(event: Event) -> bool:
    """Tell whether an event has parts enough to be confused with others of the same people."""
    return bool(event.thing and (event.other or event.place))


def kind_has_place(kind: str) -> bool:
    """Tell whether events of a kind that can be asked for happen at a place."""
    return kind in ("find", "hide")


def _people(event: Event) -> frozenset[str]:
    return frozenset({event.actor, event.other} - {""})
