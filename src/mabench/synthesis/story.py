"""Stories out of a simulation: people of one town who want things, and what they do for them.

What happens follows from the state (who is where, who has what, who wants what); the telling
comes afterwards, so what is true of a story is known without reading its text.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import NamedTuple

from mabench.synthesis.english import sentence
from mabench.synthesis.names import Names
from mabench.synthesis.story_wordings import (
    CLOSINGS,
    MATERIALS,
    NARRATIVES,
    OBJECTS,
    OPENINGS,
    PLACES,
    SCENES,
    SUMMARIES,
)

_EVENTS_PER_CHAPTER = 20


class Event(NamedTuple):
    """Something that happened; what plays no part in this kind of event is empty."""

    kind: str
    actor: str
    thing: str = ""
    other: str = ""
    place: str = ""


class Story(NamedTuple):
    """What happened, in order, and the text that tells it."""

    town: str
    cast: tuple[str, ...]
    events: tuple[Event, ...]
    text: str


class Setting(NamedTuple):
    """Whom and what a story is about."""

    cast: tuple[str, ...]
    places: tuple[str, ...]
    things: tuple[str, ...]


def make_story(rng: Random, people: int, events: int) -> Story:
    """Invent a town with ``people`` in it and tell the next ``events`` things they do."""
    names = Names(rng)
    town = names.word()
    setting = Setting(
        tuple(names.word(rng.choice(("a", "en", "o", "is"))) for _ in range(people)),
        tuple(rng.sample(PLACES, 10)),
        make_things(rng, people + 4),
    )
    happened = simulate(rng, setting, events)
    return Story(town, setting.cast, happened, _tell(rng, town, happened))


def make_things(rng: Random, count: int) -> tuple[str, ...]:
    """Return things that are easily confused: few objects, each of several materials."""
    objects = rng.sample(OBJECTS, count // 2)
    pairs = [f"the {material} {thing}" for material in MATERIALS for thing in objects]
    return tuple(rng.sample(pairs, count))


def simulate(rng: Random, setting: Setting, events: int) -> tuple[Event, ...]:
    """Let the people of ``setting`` act ``events`` times, each on their own aims."""
    simulation = _Simulation(rng, setting)
    return tuple(simulation.step() for _ in range(events))


def summarize(rng: Random, event: Event) -> str:
    """Tell an event in one sentence, in other words than the story does."""
    return sentence(rng.choice(SUMMARIES[event.kind]).format(**event._asdict()))


def narrate(rng: Random, event: Event) -> str:
    """Tell an event in one paragraph of the story."""
    parts = [rng.choice(NARRATIVES[event.kind]).format(**event._asdict())]
    if rng.random() < 0.7:
        parts.insert(0, rng.choice(SCENES))
    parts += rng.sample(CLOSINGS, rng.choice((1, 1, 2)))
    return " ".join(map(sentence, parts))


def _tell(rng: Random, town: str, events: Sequence[Event]) -> str:
    paragraphs = [rng.choice(OPENINGS).format(town=town)]
    for i, event in enumerate(events):
        if i % _EVENTS_PER_CHAPTER == 0:
            paragraphs.append(f"Chapter {i // _EVENTS_PER_CHAPTER + 1}")
        paragraphs.append(narrate(rng, event))
    return "\n\n".join(paragraphs)


class _Simulation:
    """The state of a story: where people are, where things are, who wants what for whom."""

    def __init__(self, rng: Random, setting: Setting) -> None:
        self._rng = rng
        self._setting = setting
        self._at = {person: rng.choice(setting.places) for person in setting.cast}
        self._holder: dict[str, str] = {}
        self._lying: dict[str, str] = {}
        self._aims: dict[str, tuple[str, str]] = {}
        self._refused: set[tuple[str, str, str]] = set()
        for thing in setting.things:
            if rng.random() < 0.5:
                self._holder[thing] = rng.choice(setting.cast)
            else:
                self._lying[thing] = rng.choice(setting.places)

    def step(self) -> Event:
        """Let one person do the next thing towards an aim, or something idle."""
        actor = self._rng.choice(self._setting.cast)
        if actor not in self._aims or self._is_moot(actor):
            return self._resolve(actor)
        return self._pastime(actor) if self._rng.random() < 0.3 else self._pursue(actor)

    def _is_moot(self, actor: str) -> bool:
        thing, recipient = self._aims[actor]
        return self._holder.get(thing) == recipient

    def _resolve(self, actor: str) -> Event:
        others = [person for person in self._setting.cast if person != actor]
        while True:
            thing, recipient = self._rng.choice(self._setting.things), self._rng.choice(others)
            if self._holder.get(thing) != recipient:
                self._aims[actor] = thing, recipient
                return Event("resolve", actor, thing, recipient)

    def _pursue(self, actor: str) -> Event:
        thing, recipient = self._aims[actor]
        holder = self._holder.get(thing)
        if holder == actor:
            return self._meet(actor, recipient) or self._hand_over("give", actor, thing, recipient)
        if holder is None:
            return self._go(actor, self._lying[thing]) or self._find(actor, thing)
        return self._meet(actor, holder) or self._win(actor, thing, holder)

    def _meet(self, actor: str, other: str) -> Event | None:
        return self._go(actor, self._at[other])

    def _go(self, actor: str, place: str) -> Event | None:
        """Go to ``place``; nothing happens when the actor is already there."""
        if self._at[actor] == place:
            return None
        self._at[actor] = place
        return Event("go", actor, place=place)

    def _hand_over(self, kind: str, actor: str, thing: str, other: str) -> Event:
        self._holder[thing] = actor if kind in ("buy", "steal") else other
        return Event(kind, actor, thing, other)

    def _find(self, actor: str, thing: str) -> Event:
        self._holder[thing] = actor
        return Event("find", actor, thing, place=self._lying.pop(thing))

    def _win(self, actor: str, thing: str, holder: str) -> Event:
        """Ask first; the one who was refused buys, steals or quarrels."""
        if (actor, thing, holder) not in self._refused:
            self._refused.add((actor, thing, holder))
            return Event("ask", actor, thing, holder)
        kind = self._rng.choice(("buy", "steal", "quarrel"))
        if kind == "quarrel":
            return Event(kind, actor, thing, holder)
        return self._hand_over(kind, actor, thing, holder)

    def _pastime(self, actor: str) -> Event:
        """Do something beside the aim, with what and who is at hand."""
        others = [person for person in self._setting.cast if person != actor]
        company = [person for person in others if self._at[person] == self._at[actor]]
        own = [thing for thing, holder in self._holder.items() if holder == actor]
        about = self._rng.choice(self._setting.things)
        choices = [Event("write", actor, about, self._rng.choice(others))]
        if company:
            choices.append(Event("tell", actor, about, self._rng.choice(company)))
        if own:
            choices.append(Event("hide", actor, self._rng.choice(own), place=self._at[actor]))
            choices.append(Event("mend", actor, self._rng.choice(own)))
        event = self._rng.choice(choices)
        if event.kind == "hide":
            del self._holder[event.thing]
            self._lying[event.thing] = event.place
        return event
