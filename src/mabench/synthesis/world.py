"""A small invented world: who and what there is, and how they stand to each other.

The world's state is what is true; the families write texts about it and take their golds from
it, never from the text.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from random import Random

from mabench.synthesis.names import Names
from mabench.synthesis.relations import BY_NAME, RELATIONS, Relation

_FIRST_DAY = date(1780, 1, 1)
_DAYS = 73_000
_TRADES = (
    "architect", "astronomer", "botanist", "bookbinder", "cellist", "chemist", "clockmaker",
    "composer", "engineer", "geologist", "glassblower", "historian", "judge", "mapmaker",
    "novelist", "painter", "physician", "poet", "sculptor", "shipbuilder", "surveyor", "weaver",
)  # fmt: skip
_BODIES = (
    "Academy", "Bank", "Brewery", "Conservatory", "Foundation", "Institute", "Museum", "Press",
    "Printworks", "Shipyard", "Society", "Theatre",
)  # fmt: skip
_TITLES = (
    "The Bells of {}", "A Winter in {}", "The {} Letters", "The Road to {}", "Songs from {}",
    "The Last Days of {}", "The House at {}", "Beyond {}", "The {} Inheritance", "Return to {}",
)  # fmt: skip


@dataclass(frozen=True)
class World:
    """Entities by kind, the object of each relation and subject, and what can be counted.

    Attributes:
        entities: the names of each kind, such as ``person`` or ``city``.
        state: what is true now, as ``(relation name, subject) -> object``.
        dates: the day a person was born, or an organisation, city or work began.
        trades: what each person does for a living.
        populations: the inhabitants of each city.
    """

    entities: dict[str, tuple[str, ...]]
    state: dict[tuple[str, str], str]
    dates: dict[str, date]
    trades: dict[str, str]
    populations: dict[str, int]

    def follow(self, subject: str, path: Sequence[Relation]) -> str:
        """Return the entity reached from ``subject`` along the relations of ``path``.

        Raises:
            KeyError: when a relation on the way is not known of its subject.
        """
        for relation in path:
            subject = self.state[relation.name, subject]
        return subject

    def another(self, rng: Random, relation: Relation, subject: str) -> str:
        """Return an object that ``subject`` could have and does not have now."""
        barred = {subject, self.state[relation.name, subject]}
        return rng.choice([o for o in self.entities[relation.object] if o not in barred])


def build_world(rng: Random, people: int) -> World:
    """Make a world of about ``people`` people, and of all else in proportion.

    A family has some members of the same surname; capitals lie in their countries.
    """
    entities = _entities(Names(rng), rng, people)
    dated = [name for kind in ("person", "city", "organisation", "work") for name in entities[kind]]
    return World(
        entities=entities,
        state=dict(_relate(rng, entities)),
        dates={name: _FIRST_DAY + timedelta(rng.randrange(_DAYS)) for name in dated},
        trades={name: rng.choice(_TRADES) for name in entities["person"]},
        populations={name: rng.randrange(2_000, 900_000) for name in entities["city"]},
    )


def _entities(names: Names, rng: Random, people: int) -> dict[str, tuple[str, ...]]:
    countries = max(4, people // 12)
    return {
        "person": tuple(_people(names, rng, people)),
        "city": tuple(names.word() for _ in range(3 * countries)),
        "country": tuple(names.word(rng.choice(("ia", "land", "or"))) for _ in range(countries)),
        "continent": tuple(names.word("a") for _ in range(4)),
        "organisation": tuple(
            f"the {names.word()} {rng.choice(_BODIES)}" for _ in range(people // 3)
        ),
        "work": tuple(rng.choice(_TITLES).format(names.word()) for _ in range(people // 2)),
        "game": tuple(names.word("o") for _ in range(8)),
        "language": tuple(names.word("ic") for _ in range(countries)),
    }


def _people(names: Names, rng: Random, count: int) -> Iterator[str]:
    surname = ""
    for _ in range(count):
        shared = surname if rng.random() < 0.2 else ""
        person = names.person(shared or None)
        surname = person.split()[1]
        yield person


def _relate(
    rng: Random, entities: dict[str, tuple[str, ...]]
) -> Iterator[tuple[tuple[str, str], str]]:
    for relation in RELATIONS:
        for subject in entities[relation.subject]:
            others = [name for name in entities[relation.object] if name != subject]
            yield (relation.name, subject), rng.choice(others)
    # One city in three is a capital, of the country that it then lies in.
    for i, country in enumerate(entities["country"]):
        for city in entities["city"][3 * i : 3 * i + 3]:
            yield (BY_NAME["country"].name, city), country
        yield (BY_NAME["capital"].name, country), entities["city"][3 * i]
