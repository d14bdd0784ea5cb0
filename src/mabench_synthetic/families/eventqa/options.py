"""Wrong options for what comes next: the same people, at about the same place in the story."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from random import Random

from mabench.errors import UsageError
from mabench_synthetic.story.story import Event

OPTIONS = 6
# How many events before and after the true one count as near it.
_NEAR = 40
# When so many options may speak of one thing, the deeds with the things at hand are used up.
_USED_UP = 2 * OPTIONS


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
            UsageError: when the story is too short to make them of.
        """
        gold = self._events[place]
        wrong = list(self._from_elsewhere(place, last))[: self._elsewhere]
        things = self._things_near(place, [gold, *wrong])
        places = sorted(self._places[gold.kind])
        most = -(-OPTIONS // len(things))
        while len(wrong) < OPTIONS - 1:
            event = self._like(gold, things, places)
            of_thing = sum(option.thing == event.thing for option in (gold, *wrong))
            if event not in self._counts and event not in wrong and of_thing < most:
                wrong.append(event)
            elif self._rng.random() < 0.01:
                most += 1  # So few deeds are left for these things.
                more = self._another_thing(things) if most > _USED_UP else []
                if most > 2 * _USED_UP and not more:
                    raise UsageError(
                        "so short a story has too few things for the wrong options; ask for more "
                        "tokens"
                    )
                things += more
        return wrong

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

    def _another_thing(self, things: Sequence[str]) -> list[str]:
        """Return a thing of the story besides ``things``, if there is one."""
        others = sorted({event.thing for event in self._events} - {"", *things})
        return self._rng.sample(others, min(1, len(others)))

    def _like(self, gold: Event, things: Sequence[str], places: Sequence[str]) -> Event:
        """Return something that the people of ``gold`` could have done."""
        thing = self._rng.choice(things)
        kinds = [kind for kind in self._kinds if kind_has_place(kind) == bool(gold.place)]
        kind = self._rng.choice(kinds)
        if gold.place:
            return Event(kind, gold.actor, thing, place=self._rng.choice(places))
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
