"""Answers RULER questions from the simulated world: what is asked is read from its words."""

import re

from mabench_synthetic.families.ruler.encyclopedia import world_for
from mabench_synthetic.generator import RowSpec, random_stream
from mabench_synthetic.world import RELATIONS, World
from tests.synthetic.wordings import read

# Questions whose words no article has, and the relation that each asks for.
_IN_OTHER_WORDS = {
    r"Where did the life of (.+) begin\?": "birthplace",
    r"Under whom did (.+) train\?|Who was the master of (.+)\?": "teacher",
    r"On whose payroll is (.+)\?|Who pays the salary of (.+)\?": "employer",
    r"In whom does (.+) confide\?|Who is the dearest companion of (.+)\?": "friend",
    r"What is the pastime of (.+)\?|What does (.+) do for pleasure\?": "game",
    r"Where does (.+) dwell at present\?|Where is the flat of (.+)\?": "residence",
    r"With whom did (.+) exchange vows\?|Who is the wife or husband of (.+)\?": "spouse",
    r"Who governs (.+)\?|Who holds the highest office of (.+)\?": "mayor",
    r"Which place is the official partner of (.+)\?": "twin",
    r"Of which nation is (.+) a part\?": "country",
    r"Who set up (.+)\?|Whose idea was (.+)\?": "founder",
    r"Where is (.+) based\?|Where are the main rooms of (.+)\?": "seat",
    r"Who runs (.+)\?|Who is in charge of (.+)\?": "director",
    r"To which larger body does (.+) report\?": "parent",
    r"Whose pen produced (.+)\?|Who thought up (.+)\?": "author",
    r"Which firm brought out (.+)\?|Which firm gave (.+) to the world\?": "publisher",
    r"Where does the plot of (.+) unfold\?": "setting",
    r"Who put (.+) into another language\?": "translator",
}
# Phrases in words that no article has, and the relation whose object each stands for.
_PHRASES = {
    r"the city where (.+) came into the world": "birthplace",
    r"the master of (.+)|the person under whom (.+) trained": "teacher",
    r"the organisation that pays (.+)|the organisation on whose payroll (.+) is": "employer",
    r"the confidant of (.+)|the dearest companion of (.+)": "friend",
    r"the city where (.+) dwells at present": "residence",
    r"the wife or husband of (.+)|the person who exchanged vows with (.+)": "spouse",
    r"the person who governs (.+)|the person in the highest office of (.+)": "mayor",
    r"the official partner of (.+)": "twin",
    r"the person who set up (.+)|the person whose idea was (.+)": "founder",
    r"the city where (.+) is based": "seat",
    r"the person who runs (.+)|the person in charge of (.+)": "director",
    r"the larger body to which (.+) reports": "parent",
    r"the person who thought up (.+)|the person whose pen produced (.+)": "author",
    r"the firm that brought out (.+)|the firm that gave (.+) to the world": "publisher",
    r"the city where the plot of (.+) unfolds": "setting",
    r"the person who put (.+) into another language": "translator",
}
# Descriptions that fit one thing alone, by its kind.
_OF_THEME = r"(?P<theme>[a-z]+(?: [a-z]+)?)"
_DEFINITE = {
    "person": (
        rf"the (?P<job>[a-z]+) from (?P<birthplace>\w+) with a passion for {_OF_THEME}",
        rf"the (?P<job>[a-z]+) born in (?P<year>\d+) with a passion for {_OF_THEME}",
        rf"the (?P<job>[a-z]+) with a passion for {_OF_THEME} who now lives in (?P<residence>\w+)",
        r"the (?P<job>[a-z]+) from (?P<birthplace>\w+) who plays (?P<game>\w+)",
        r"the (?P<job>[a-z]+) whom (?P<teacher>.+) taught",
    ),
    "city": (
        rf"the city in (?P<country>\w+) known for {_OF_THEME}",
        r"the city in (?P<country>\w+) with (?P<mayor>.+) as mayor",
        rf"the city known for {_OF_THEME} that was founded in (?P<year>\d+)",
    ),
    "organisation": (
        rf"the (?P<body>[a-z]+) devoted to {_OF_THEME} with its head office in (?P<seat>\w+)",
        rf"the (?P<body>[a-z]+) devoted to {_OF_THEME} that was founded in (?P<year>\d+)",
        r"the (?P<body>[a-z]+) founded by (?P<founder>.+)",
    ),
    "work": (
        rf"the novel about {_OF_THEME} by (?P<author>.+)",
        rf"the novel about {_OF_THEME} set in (?P<setting>\w+)",
        rf"the novel of (?P<year>\d+) about {_OF_THEME}",
    ),
}
_TRADE = (
    r"What does (.+) do for a living\?|What is the occupation of (.+)\?"
    r"|What is (.+) best known as\?"
)
_FAME = (
    r"What does the name of (.+) stand for\?|What does nobody who visits (.+) overlook\?"
    r"|What was (.+) founded for\?|What does the story of (.+) turn on\?"
    r"|What brought renown to (.+)\?|What will every guest of (.+) notice\?"
    r"|What was the purpose of (.+)\?|What is the plot of (.+) about\?"
)
# What a question says in passing of a thing, behind the phrase that stands for it.
_IN_PASSING = re.compile(
    r"(.+), an? [a-z]+ (?:from|in|with a passion for|known for|devoted to) [^,]+,?"
)
_POPULATION = (
    r"How populous is (.+)\?|How many people are counted in (.+)\?"
    r"|How many inhabitants does (.+) have\?|How large is the population of (.+)\?"
)
_DATE = (
    r"When did the life of (.+) begin\?|What is the birthday of (.+)\?|When was (.+) set up\?"
    r"|When did (.+) come into being\?|On which day did (.+) come (?:into being|out)\?"
    r"|On which day was (.+) (?:born|founded)\?|What is the date of birth of (.+)\?"
    r"|What is the founding date of the city of (.+)\?|When was (.+) (?:founded|first sold)\?"
)
_DESCRIBED = (
    r"What does the name of the (?P<job>.+) from (?P<birthplace>.+) stand for, whom "
    r"(?P<teacher>.+) taught\?",
    r"What does nobody overlook who visits the city in (?P<country>.+) with (?P<mayor>.+) as "
    r"mayor\?",
    r"What was the body founded for that (?P<founder>.+) founded in (?P<seat>.+)\?",
    r"What does the novel by the author (?P<author>.+) turn on that (?P<publisher>.+) published\?",
    r"What made the (?P<job>.+) from (?P<birthplace>.+) known, whom (?P<teacher>.+) taught\?",
    r"What brought renown to the (?P<job>.+) from (?P<birthplace>.+) who was taught by "
    r"(?P<teacher>.+)\?",
    r"What will every guest notice in the city in (?P<country>.+) with (?P<mayor>.+) as mayor\?",
    r"What was the purpose of the body that (?P<founder>.+) founded in (?P<seat>.+)\?",
    r"What is the plot about in the novel by the author (?P<author>.+) that "
    r"(?P<publisher>.+) published\?",
)
_SAME = {
    "birthplace": "birth|born",
    "game": "game",
    "country": "countr",
    "employer": "employer|colleagues",
}


def solve(world: World, question: str) -> str:
    """Return what the state of the world says; raises when it says nothing or more than one."""
    answers = {
        *_relations(world, question),
        *_attributes(world, question),
        *_described(world, question),
        *_comparisons(world, question),
    }
    (answer,) = answers
    return answer


def in_other_words(question: str) -> bool:
    return any(re.fullmatch(pattern, question) for pattern in _IN_OTHER_WORDS)


def _resolved(world: World, words: str) -> str:
    in_passing = _IN_PASSING.fullmatch(words)
    if in_passing:
        return _resolved(world, in_passing[1])
    inner = [
        (relation.name, slots["s"])
        for relation in RELATIONS
        for slots in read(words, relation.phrases)
    ]
    inner += [(name, asked) for p, name in _PHRASES.items() if (asked := _asked(p, words))]
    keys = ((name, _resolved(world, each)) for name, each in inner)
    found = {world.state[key] for key in keys if key in world.state}
    found |= {
        name
        for kind, patterns in _DEFINITE.items()
        for pattern in patterns
        if (described := re.fullmatch(pattern, words))
        for name in _fitting(world, described.groupdict()) & set(world.entities[kind])
    }
    if found:
        (words,) = found
    return words


def _fitting(world: World, clues: dict[str, str]) -> set[str]:
    year, job = clues.pop("year", None), clues.pop("job", None)
    body = clues.pop("body", "").title()
    return {
        name
        for name, day in world.dates.items()
        if all(world.state.get((clue, name)) == value for clue, value in clues.items())
        and name.endswith(body)
        and (year is None or day.year == int(year))
        and (job is None or world.trades.get(name) == job)
    }


def _asked(pattern: str, question: str) -> str | None:
    match = re.fullmatch(pattern, question)
    return next(filter(None, match.groups())) if match else None


def _relations(world: World, question: str) -> set[str]:
    asked = [
        (relation.name, slots["s"])
        for relation in RELATIONS
        for slots in read(question, relation.questions)
    ]
    asked += [
        (name, subject)
        for pattern, name in _IN_OTHER_WORDS.items()
        if (subject := _asked(pattern, question))
    ]
    keys = ((name, _resolved(world, subject)) for name, subject in asked)
    return {world.state[key] for key in keys if key in world.state}


def _attributes(world: World, question: str) -> set[str]:
    found = set()
    if subject := _asked(_DATE, question):
        day = world.dates.get(_resolved(world, subject))
        found |= {f"{day.day} {day:%B} {day.year}"} if day else set()
    if subject := _asked(_TRADE, question):
        found |= {world.trades[_resolved(world, subject)]}
    if (subject := _asked(_FAME, question)) and _resolved(world, subject) in world.fames:
        found |= {world.fames[_resolved(world, subject)]}
    if subject := _asked(_POPULATION, question):
        found |= {f"{world.populations[_resolved(world, subject)]:,}"}
    return found


def _described(world: World, question: str) -> set[str]:
    described = next((m for p in _DESCRIBED if (m := re.fullmatch(p, question))), None)
    if not described:
        return set()
    return {world.fames[name] for name in _fitting(world, described.groupdict())}


def _comparisons(world: World, question: str) -> set[str]:
    named = sorted((name for name in world.dates if name in question), key=question.index)
    if len(named) == 2 and re.search(r"first, |older, ", question):
        return {min(named, key=world.dates.__getitem__)}
    if len(named) == 2 and re.match(r"Are|Were|Do|Is", question):
        asked = re.sub("|".join(map(re.escape, named)), "", question)
        (relation,) = (name for name, words in _SAME.items() if re.search(words, asked))
        return {"no" if len({world.state[relation, name] for name in named}) > 1 else "yes"}
    return set()


def world_of(spec: RowSpec) -> World:
    part = "qa1" if "qa1" in spec.source else "qa2"
    return world_for(random_stream(spec.seed, "ruler", part, spec.row), spec, part)
