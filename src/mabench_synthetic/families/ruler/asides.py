"""Clauses of no importance, which fill articles and mention others of the world in passing."""

from __future__ import annotations

from random import Random

from mabench_synthetic.language.english import long_date
from mabench_synthetic.language.wordings import table
from mabench_synthetic.world.world import World

_WORDINGS = ("{source} {verb} {matter}, {comment}", "{comment}, {source} {verb} {matter}")
# The parts vary independently, so few asides repeat. Matters that name others use words in which
# questions ask for something else, as any large collection of texts does.
_PARTS = table("""
source: a county almanac | an old railway guide | a pamphlet sold at fairs | the parish record |
    a letter in a private collection | a footnote in a travel book | an auction catalogue |
    a children's primer | a retired postman | a weather journal | a brewer's account book |
    a long obituary | a map seller's list | a radio talk | a school inspector's report |
    a letter of {date} | an almanac for {year} | a newspaper of {date} | a sermon of {date} |
    a guide that came out in {year} | a diary begun in {year} | a bill of {date}
verb: mentions | praises | makes light of | dwells on | complains about | recalls
matter: a collection of pressed ferns | a quarrel over a hedge | a fondness for strong tea |
    a walnut desk with a hidden drawer | a flood that carried off two sheds |
    a bell that rang of its own accord | a bet about a goose | a portrait hung upside down |
    a staircase with one step too many | an orchard of bitter pears | a lost umbrella |
    a choir that sang too slowly | a recipe for quince jelly | a borrowed wheelbarrow |
    a ship's figurehead in the hall | a chess game that lasted a year | a blue front door |
    a parrot that imitated the vicar | a well that never froze | a mislaid set of keys
named: a parrot that {person} trained to imitate the vicar |
    a fear of geese that {person} confided to a postman |
    a flat above the fish market that {person} let | a guest from {city} who never paid |
    the pleasure that {person} took in thunderstorms | a plot by {person} to stop the town clock |
    a cart that {person} runs to the market of {city} | a vow by {person} never to eat pears |
    a map that {organisation} brought out upside down | a partner from {city} at the card table |
    the salary that {organisation} forgot to pay | a populous beehive that {person} kept |
    an idea of {person} for a larger snow plough | a report that {organisation} lost twice |
    the birthday of {person}, spent in bed | a jar of honey that {organisation} sold first |
    a nation of ants in the rooms of {organisation} | the charge that {person} whistled in church |
    the purpose of a pipe in the yard of {organisation} | a wife in {city} who sold eels |
    an exchange of insults between {person} and a cook | a master key that {person} mislaid |
    an official stamp that {city} refused | a firm belief of {person} in cold baths |
    a dear old companion of {person}, a mule | a holder for candles that {organisation} gave away
comment: though nobody now can confirm it | with more warmth than accuracy | at some length |
    not without envy | as such writings often do | for reasons that are not given |
    in a tone of mild surprise | and then moves on to the price of oats | and leaves it at that |
    in two lines that were later struck out | which says more about the writer |
    with a drawing in the margin
""")
_NAMED_SHARE = 0.6


def aside(rng: Random, world: World) -> str:
    """Return a clause of which nothing is asked, one of more than twenty thousand."""
    parts = {name: rng.choice(words) for name, words in _PARTS.items()}
    day = rng.choice(tuple(world.dates.values()))
    parts["source"] = parts["source"].format(date=long_date(day), year=day.year)
    if rng.random() < _NAMED_SHARE:
        kinds = ("person", "city", "organisation")
        names = {kind: rng.choice(world.entities[kind]) for kind in kinds}
        parts["matter"] = parts["named"].format(**names)
    follows = parts["comment"].startswith(("and ", "which "))
    wording = _WORDINGS[0] if follows else rng.choice(_WORDINGS)
    return wording.format(**parts)
