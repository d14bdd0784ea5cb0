"""Simulates stories: people of a town who want things, and what they do to get them.

What happens follows from the state: who is where, who has what, and who wants what. The text is
written afterwards, so that what is true in a story is known without reading it.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import NamedTuple

from mabench.text.names import NameInventor
from mabench_synthetic.language import phrases, rate_of, sentence, table, tokens_of

# The words of stories. Slots of a wording: actor, thing, other, place.
_MATERIALS = phrases("story", "materials")
# Each object, and what a summary may call it.
OTHER_OBJECTS = {name: other for name, (other,) in table("story", "other_objects").items()}
_OBJECTS = tuple(OTHER_OBJECTS)
# Each place, and what a summary may call it.
OTHER_PLACES = {name: other for name, (other,) in table("story", "other_places").items()}
PLACES = tuple(OTHER_PLACES)
# The wordings of an event in the story, and of the same event in a question or a summary.
NARRATIVES = table("story", "narratives")
SUMMARIES = table("story", "summaries")
_OPENINGS = phrases("story", "openings")
# Parts of sentences that set a scene or close one, and say nothing that a question could ask. They
# vary independently: there are about five thousand of each.
_PARTS = table("story", "scenes")


def scene(rng: Random) -> str:
    """Return a sentence that opens a scene."""
    return "{} {}, and {}.".format(*_parts(rng, "when", "weather", "sight"))


def closing(rng: Random) -> str:
    """Return a sentence that closes a scene."""
    if rng.random() < 0.15:
        return "{}, {}.".format(*_parts(rng, "aside", "after"))
    return "{} {}, {}.".format(*_parts(rng, "who", "reaction", "after"))


def _parts(rng: Random, *names: str) -> Iterator[str]:
    """Yield a random part of a sentence for each name."""
    return (rng.choice(_PARTS[name]) for name in names)


_EVENTS_PER_CHAPTER = 20
_EVENTS_PER_NEWCOMER = 45
_FIRST_CAST = 8
_FIRST_PLACES = 10
_FIRST_THINGS = 13
_BREAK_TOKENS = 1.0


class StoryEvent(NamedTuple):
    """Something that happened; parts that its kind does not have are empty."""

    kind: str
    actor: str
    thing: str = ""
    other: str = ""
    place: str = ""


class Story(NamedTuple):
    """The events in order, the text that tells them, and the paragraph about each."""

    town: str
    cast: tuple[str, ...]
    events: tuple[StoryEvent, ...]
    text: str
    told: tuple[str, ...]


class StorySetting(NamedTuple):
    """The people, places and things at the beginning of a story."""

    cast: tuple[str, ...]
    places: tuple[str, ...]
    things: tuple[str, ...]


def make_story(rng: Random, tokens: int) -> Story:
    """Invent a town and a story of its people, of that many o200k_base tokens.

    A longer story begins with the whole of a shorter one from the same random stream. From time to
    time somebody new comes to town with something new, so that long stories do not repeat
    themselves.
    """
    # Names and wordings are drawn apart from what happens.
    names = NameInventor(Random(rng.getrandbits(64)))  # noqa: S311
    telling = Random(rng.getrandbits(64))  # noqa: S311
    town = names.word()
    things = list(make_things(rng))
    setting = StorySetting(
        tuple(_person(rng, names) for _ in range(_FIRST_CAST)),
        tuple(rng.sample(PLACES, _FIRST_PLACES)),
        tuple(things.pop() for _ in range(_FIRST_THINGS)),
    )
    simulation = Simulation(rng, setting)
    paragraphs = [telling.choice(_OPENINGS).format(town=town)]
    left = tokens / rate_of("story") - tokens_of(paragraphs[0])
    events: list[StoryEvent] = []
    told: list[str] = []
    while left > 0:
        if len(events) % _EVENTS_PER_CHAPTER == 0:
            paragraphs.append(f"Chapter {len(events) // _EVENTS_PER_CHAPTER + 1}")
        is_arrival = (len(events) + 1) % _EVENTS_PER_NEWCOMER == 0
        if is_arrival and things:
            event = simulation.arrive(_person(rng, names), things.pop())
        else:
            event = simulation.step()
        paragraph = narrate(telling, event)
        events.append(event)
        told.append(paragraph)
        paragraphs.append(paragraph)
        left -= tokens_of(paragraph) + _BREAK_TOKENS
    text = "\n\n".join(paragraphs)
    return Story(town, simulation.cast, tuple(events), text, tuple(told))


def make_things(rng: Random) -> tuple[str, ...]:
    """Return things that are easily confused, many objects of many materials, in random order."""
    pairs = [f"the {material} {thing}" for material in _MATERIALS for thing in _OBJECTS]
    return tuple(rng.sample(pairs, len(pairs)))


def _person(rng: Random, names: NameInventor) -> str:
    """Invent a first name."""
    return names.word(rng.choice(("a", "en", "o", "is")))


def summarize(rng: Random, event: StoryEvent, renamed: float = 0.0) -> str:
    """Return one sentence about an event, in other words than the story.

    ``renamed`` is the share of things and places that get other names as well.
    """
    if rng.random() < renamed:
        event = event._replace(thing=_other_words(event.thing))
    if rng.random() < renamed:
        event = event._replace(place=OTHER_PLACES.get(event.place, event.place))
    return sentence(rng.choice(SUMMARIES[event.kind]).format(**event._asdict()))


def _other_words(thing: str) -> str:
    """Return ``the brass compass`` by what it is for; empty for no thing."""
    if not thing:
        return thing
    _, material, kind = thing.split(" ", 2)
    return f"the {material} {OTHER_OBJECTS[kind]}"


def narrate(rng: Random, event: StoryEvent) -> str:
    """Return the paragraph of the story about an event."""
    parts = [rng.choice(NARRATIVES[event.kind]).format(**event._asdict())]
    if rng.random() < 0.7:
        parts.insert(0, scene(rng))
    parts += [closing(rng) for _ in range(rng.choice((1, 1, 2)))]
    return " ".join(map(sentence, parts))


class Simulation:
    """The state of a story: where people and things are, and who wants what for whom."""

    def __init__(self, rng: Random, setting: StorySetting) -> None:
        self._rng = rng
        self._cast = list(setting.cast)
        self._places = setting.places
        self._things = list(setting.things)
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

    @property
    def cast(self) -> tuple[str, ...]:
        """All people so far, in the order of their appearance."""
        return tuple(self._cast)

    def arrive(self, person: str, thing: str) -> StoryEvent:
        """Let somebody new arrive with something new."""
        self._cast.append(person)
        self._things.append(thing)
        self._at[person] = self._rng.choice(self._places)
        self._holder[thing] = person
        return StoryEvent("arrive", person, thing)

    def step(self) -> StoryEvent:
        """Let one person take the next step towards an aim, or do something idle."""
        actor = self._rng.choice(self._cast)
        if actor not in self._aims or self._is_moot(actor):
            return self._resolve(actor)
        return self._pastime(actor) if self._rng.random() < 0.3 else self._pursue(actor)

    def _is_moot(self, actor: str) -> bool:
        """Return whether somebody's aim is reached: the recipient has the thing."""
        thing, recipient = self._aims[actor]
        return self._holder.get(thing) == recipient

    def _resolve(self, actor: str) -> StoryEvent:
        """Give a person an aim: to bring a thing to another person."""
        others = [person for person in self._cast if person != actor]
        while True:
            thing, recipient = self._rng.choice(self._things), self._rng.choice(others)
            if self._holder.get(thing) != recipient:
                self._aims[actor] = thing, recipient
                return StoryEvent("resolve", actor, thing, recipient)

    def _pursue(self, actor: str) -> StoryEvent:
        """Let a person take the next step towards an aim."""
        thing, recipient = self._aims[actor]
        holder = self._holder.get(thing)
        if holder == actor:
            place = self._at[recipient]
            return self._go(actor, place) or self._hand_over("give", actor, thing, recipient)
        if holder is None:
            return self._go(actor, self._lying[thing]) or self._find(actor, thing)
        return self._go(actor, self._at[holder]) or self._win(actor, thing, holder)

    def _go(self, actor: str, place: str) -> StoryEvent | None:
        """Go to a place; return None if the person is already there."""
        if self._at[actor] == place:
            return None
        self._at[actor] = place
        return StoryEvent("go", actor, place=place)

    def _hand_over(self, kind: str, actor: str, thing: str, other: str) -> StoryEvent:
        """Let the actor give a thing to another, or buy or steal it from them."""
        self._holder[thing] = actor if kind in ("buy", "steal") else other
        return StoryEvent(kind, actor, thing, other)

    def _find(self, actor: str, thing: str) -> StoryEvent:
        """Let the actor take a thing that lies around."""
        self._holder[thing] = actor
        return StoryEvent("find", actor, thing, place=self._lying.pop(thing))

    def _win(self, actor: str, thing: str, holder: str) -> StoryEvent:
        """Ask for the thing first; after a refusal, buy it, steal it or quarrel."""
        if (actor, thing, holder) not in self._refused:
            self._refused.add((actor, thing, holder))
            return StoryEvent("ask", actor, thing, holder)
        kind = self._rng.choice(("buy", "steal", "quarrel"))
        if kind == "quarrel":
            return StoryEvent(kind, actor, thing, holder)
        return self._hand_over(kind, actor, thing, holder)

    def _pastime(self, actor: str) -> StoryEvent:
        """Do something unrelated to the aim, with the things and people at hand."""
        others = [person for person in self._cast if person != actor]
        company = [person for person in others if self._at[person] == self._at[actor]]
        own = [thing for thing, holder in self._holder.items() if holder == actor]
        about = self._rng.choice(self._things)
        choices = [StoryEvent("write", actor, about, self._rng.choice(others))]
        if company:
            choices.append(StoryEvent("tell", actor, about, self._rng.choice(company)))
        if own:
            choices.append(StoryEvent("hide", actor, self._rng.choice(own), place=self._at[actor]))
            choices.append(StoryEvent("mend", actor, self._rng.choice(own)))
        event = self._rng.choice(choices)
        if event.kind == "hide":
            del self._holder[event.thing]
            self._lying[event.thing] = event.place
        return event
