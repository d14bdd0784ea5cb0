"""How alike two word stems are: in form, in spelling or in meaning, in general English.

The groups of words of one meaning are everyday vocabulary about people, places, works, bodies and
events, with irregular forms that no stemmer brings together; a word may stand in several groups.
They know nothing of any data set.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache, lru_cache
from itertools import takewhile

from rapidfuzz import fuzz

from mabench.text.stems import is_function_word, stem, tokens

_SIMILAR = 0.9  # What a word counts for that begins like another, or is a misspelling of it.
_SYNONYM = 0.75  # What a word counts for that means the same as another.
_SHARED = 4  # Letters that words which begin alike have in common, at least.
_LONGEST_ENDING = 4
_SHORTEST_MISSPELT = 5
_SPELLING = 85.0  # Similarity of a word and its misspelling, in percent (Indel, by rapidfuzz).
_GROUPS = """
born birth birthplace birthday native bear nativity
die died death dead decease deceased perish passed demise killed breath breathe
marry married marriage spouse husband wife partner wed wedding consort
child son daughter offspring kid children heir
parent father mother dad mum mom
brother sister sibling
ancestor forefather forebear
friend companion mate buddy
enemy foe rival opponent
live lives reside residence resident home house address dwell inhabit
work works job employ employer employee employment staff occupation profession trade company
occupation profession professional career job vocation trade field work
colleague coworker associate
teach taught teacher tutor instructor mentor instruct
learn study studied student pupil educate education school train alma
school university college academy educational institution institute
educate education attend graduate graduated alumnus degree
write wrote written writer author pen novelist
compose composer composition
paint painted painter painting artist
sing sang sung singer vocalist
play player perform performer performance
perform performer act actor actress portray star cast role
record song album track music
music musical genre style
film movie picture
book novel work writing publication
work creation opus piece masterpiece
famous fame renowned known notable celebrated significant
create creator creation made maker make invent originate originator
invent inventor invention devise devised
develop developer development design designer build built builder
produce producer production manufacture manufacturer make maker made build built
company firm business corporation enterprise
organization organisation association
found founder founded establish established start started set foundation begin began exist existence
found founded form formed formation launch launched open opened
publish publisher publication issue release released
broadcast broadcaster air aired channel network television
translate translator translation render
own owner ownership owned possess possession belong
lead leader head chief boss chair chairperson chairman president director command
govern government governor rule ruler governance
executive ceo chief
manage manager management direct director run
coach trainer manager
king queen monarch ruler sovereign
mayor burgomaster
captain skipper
country nation state land homeland
city town municipality
place location site spot where
capital seat center centre
headquarters headquarter office base based seat
locate located location situated lie lies stand stands found
continent landmass
region area province district territory
language tongue speak speaks spoke spoken speech
religion religious faith belief creed denomination church affiliated
citizen citizenship national nationality
origin originate originated come comes came derive hail source begin began
sport game athletic athletics
team club side squad
position role post
league competition tournament championship
member membership belong part join joined
affiliated affiliation associated association connected linked
currency money coin
animal pet creature
food dish meal cuisine eat eats ate
drink beverage drinks drank
colour color hue shade
car vehicle automobile
ship vessel boat
award prize honour honor medal
win won winner victory
lose lost loser
buy bought purchase buyer acquire acquired
sell sold seller
give gave given donate donated gift
keep kept hold held
grow grew grown raise raised
speak spoke spoken
choose chose chosen elect elected
build built
find found discover discovered discoverer
see saw seen
think thought opinion view believe
buried burial grave tomb rest
sick ill illness disease suffer
doctor physician medic
illness treat treated
fight fought battle war
guide guided
serve served service
population populous inhabitant census people resident
voice voiced play played portray role character
release released premiere premiered publish published issue come came appear appeared
alias nickname nicknamed stage known real
headquarters headquartered based seat office
travel journey trip visit visited
begin beginning start first
end final last finish
near close next beside
big large great
small little
old aged
rich wealthy
"""


def content_stems(words: Iterable[str]) -> tuple[str, ...]:
    """Return the different stems of the words of a frame that carry content, in order."""
    plain = [token for word in words for token in tokens(word)]
    return tuple(dict.fromkeys(stem(word) for word in plain if not is_function_word(word)))


@lru_cache(maxsize=200_000)
def likeness(one: str, other: str) -> float:
    """Return how alike two stems are, from 0 to 1."""
    if one == other:
        return 1.0
    if _begin_alike(one, other):
        return _SIMILAR
    if _same_meaning(one, other):
        return _SYNONYM
    return _SIMILAR if _is_misspelt(one, other) else 0.0


def _begin_alike(one: str, other: str) -> bool:
    shared = sum(
        1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False))
    )
    return shared >= _SHARED and max(len(one), len(other)) - shared <= _LONGEST_ENDING


def _is_misspelt(one: str, other: str) -> bool:
    if min(len(one), len(other)) < _SHORTEST_MISSPELT:
        return False
    return fuzz.ratio(one, other, score_cutoff=_SPELLING) > 0


def meanings(word: str) -> frozenset[int]:
    """Return the numbers of the groups of words of one meaning in which a stem stands."""
    return _meanings().get(word, frozenset())


@cache
def _meanings() -> dict[str, frozenset[int]]:
    """Return the numbers of the groups that the stem of each listed word stands in."""
    found: dict[str, set[int]] = {}
    for number, group in enumerate(_GROUPS.strip().splitlines()):
        for word in group.split():
            found.setdefault(stem(word), set()).add(number)
    return {word: frozenset(numbers) for word, numbers in found.items()}


@cache
def same_meaning(word: str) -> frozenset[str]:
    """Return the other stems that can mean much the same as a stem."""
    numbers = _meanings().get(word, frozenset())
    return frozenset(w for w, those in _meanings().items() if w != word and numbers & those)


def _same_meaning(one: str, other: str) -> bool:
    """Say whether two stems can mean much the same."""
    return not meanings(one).isdisjoint(meanings(other))
