"""What a user tells an assistant that questions rest on, and what is like it.

Slots of evidence: name and other (invented names), city, number, and the item of a detail with a
like item that was never mentioned. A gold repeats one of them.
"""

from __future__ import annotations

from typing import NamedTuple

from mabench.synthesis.language.wordings import table


class Detail(NamedTuple):
    """Something the user mentions once: the statement, the question for it, and the answer.

    ``items`` pairs what is mentioned with a similar thing that is not; a question about the
    latter has no answer.
    """

    statement: str
    question: str
    gold: str
    items: tuple[tuple[str, str], ...]


_DETAILS = table("""
purchase: By the way, I paid {number} crowns for my new {item} from {name} Outfitters. |
    How much did I pay for my {item}? | {number} crowns | canoe / kayak | tent / hammock |
    bicycle / scooter | rucksack / suitcase | telescope / microscope | sewing machine / loom |
    barbecue / oven
relative: My {item} {name} has just moved to {city}, so I may visit soon. |
    To which city did my {item} {name} move? | {city} | cousin / nephew | aunt / uncle |
    old teacher / old neighbour | godson / godmother | tailor / dentist | flatmate / landlord
pet: I should say that I have a {item} called {name} who comes along everywhere. |
    What is the name of my {item}? | {name} | dog / parrot | ferret / hedgehog | pony / donkey |
    tame crow / tame fox | cat / rabbit
course: The {item} course I take on Tuesdays is taught by {name} {other}. |
    Who teaches my {item} course? | {name} {other} | pottery / drawing | fencing / boxing |
    welding / carpentry | singing / dancing | first-aid / life-saving | chess / bridge
locker: My locker at the {item} is number {number}, which I keep forgetting. |
    What is the number of my locker at the {item}? | {number} | swimming hall / station |
    library / theatre | climbing hall / ice rink | boathouse / stables | office / airport |
    school / hospital
find: I found the {item} that I had lost in the attic of a house in {city}. |
    In which city did I find the {item} that I had lost? | {city} | recipe book / diary |
    stamp album / coin album | wedding veil / top hat | fishing rod / walking stick |
    violin bow / metronome | flute / trumpet
book: I have been reading a {item} called The {name} Ledger before going to sleep. |
    What is the title of the {item} that I have been reading before sleep? | The {name} Ledger |
    novel / play | travel book / cookery book | biography / book of poems |
    ghost story / fairy tale | history book / comic
""")


def _detail(statement: str, question: str, gold: str, *items: str) -> Detail:
    pairs = (item.split(" / ") for item in items)
    return Detail(statement, question, gold, tuple((item, like) for item, like in pairs))


DETAILS = tuple(_detail(*texts) for texts in _DETAILS.values())

# Kinds of places that the assistant recommends.
PLACES = (
    "bakery", "guesthouse", "bookshop", "tea house", "bicycle workshop", "nursery", "music hall",
    "fish restaurant", "antique shop", "swimming pool",
)  # fmt: skip

# What the user prefers, a later request, and what a good answer takes into account.
PREFERENCES = tuple(
    table("""
trains: I get seasick easily, so I travel by train, and I love small stations. |
    Can you suggest how to spend a long weekend away? |
    The user would prefer journeys by train with small stations on the way, and would not want trips
    by boat.
lentils: I cook on one small gas ring, and I am very fond of lentils. |
    What could I cook for my friends on Saturday? |
    The user would prefer dishes with lentils that need one ring only, and would not want recipes
    that need an oven.
radio plays: I learn best by ear, above all from old radio plays. |
    How could I improve my knowledge of a foreign language? |
    The user would prefer ways of learning by ear, such as radio plays, and would not want lists of
    words to read.
mornings outdoors: I only exercise outdoors before breakfast, and gyms make me gloomy. |
    Do you have an idea for getting fitter this season? |
    The user would prefer exercise outdoors in the early morning, and would not want to be sent to a
    gym.
no perfume: I cannot stand perfume, and I only give presents that can be used up. |
    What could I bring my hostess next week? |
    The user would prefer a present that can be used up, such as food, and would not want anything
    scented.
paper: I read only on paper, and I like short chapters because I read on the bus. |
    Which kind of book would suit me for the autumn? |
    The user would prefer a printed book with short chapters, and would not want an electronic one.
north windows: My flat has north windows only, and I am away every other week. |
    Which plants should I get for my rooms? |
    The user would prefer plants that bear shade and a week without water, and would not want ones
    that need sun or daily care.
no car: I do not drive, and I am happiest where there is a market in the morning. |
    Where should I look for a place to live? |
    The user would prefer a neighbourhood with a morning market and good transport, and would not
    want to need a car.
board games: Loud music gives me headaches, so I meet people over board games. |
    How could I celebrate my birthday? |
    The user would prefer a quiet party with board games, and would not want a disco or a concert.
paper list: I work best standing, early in the day, with a paper list beside me. |
    How should I organise my next big task? |
    The user would prefer work in the early morning with a paper list, and would not want an app or
    long evenings at a desk.
""").values()
)

# What comes in several purchases or finds: how it is said, and how the total is asked for.
TOTALS = tuple(
    (f"I {verb} {{number}} {things} today.", f"How many {things} did I {base} in total?")
    for verb, base, things in (
        ("bought", "buy", "tomato seedlings"), ("filled", "fill", "jars with plum jam"),
        ("found", "find", "old coins"), ("finished", "finish", "squares of my quilt"),
        ("posted", "post", "parcels for the raffle"), ("folded", "fold", "paper cranes"),
        ("picked", "pick", "baskets of quinces"), ("copied", "copy", "pages of the old score"),
        ("painted", "paint", "fence posts"), ("sold", "sell", "tickets for the play"),
        ("bottled", "bottle", "litres of cider"), ("translated", "translate", "letters"),
        ("planted", "plant", "tulip bulbs"), ("repaired", "repair", "umbrellas"),
        ("carved", "carve", "wooden spoons"), ("swam", "swim", "lengths of the pool"),
        ("labelled", "label", "boxes of slides"), ("knitted", "knit", "rows of the scarf"),
        ("walked", "walk", "miles for charity"), ("graded", "grade", "essays"),
        ("stacked", "stack", "crates of apples"), ("framed", "frame", "photographs"),
        ("caught", "catch", "moths in the lamp trap"), ("ironed", "iron", "napkins for the feast"),
    )
)  # fmt: skip

# What the user does on one day, in the past tense.
DEEDS = (
    "planted the apple tree", "sold the old piano", "visited the clock museum",
    "repaired the garden gate", "started the swimming course", "painted the kitchen",
    "adopted the grey cat", "rowed across the lake", "gave the speech at the club",
    "baked bread from rye", "signed the lease for the studio", "climbed the water tower",
    "cleared out the cellar", "bought the second-hand boat", "passed the test for the choir",
    "saw the comet", "handed in the tax form", "moved the beehives", "met the new neighbours",
    "finished the model bridge", "lost the silver whistle", "won the quiz at the inn",
    "broke the blue vase", "learnt to tie a bowline", "hung the new curtains",
    "had the chimney swept", "gave away the accordion", "dug the pond", "joined the rowing club",
    "repotted the lemon tree", "framed the old map", "took the night ferry",
    "replaced the cracked window", "found the lost ring", "wrote to the mayor",
    "tuned the harpsichord", "fixed the leaking tap", "held the yard sale",
    "tried the new bakery", "returned the library books",
)  # fmt: skip

# A value that changes: how it is said, asked for, and given as an answer.
UPDATES = tuple(
    table("""
run: My best time for the hill run is now {number} minutes. |
    What is my best time for the hill run? | {number} minutes
chess: There are {number} members in my chess club at the moment. |
    How many members does my chess club have? | {number}
bees: I now keep {number} bees' nests under the roof of the shed. |
    How many bees' nests do I keep under the roof of the shed? | {number}
rent: My rent has become {number} crowns a week. | How much rent do I pay a week? | {number} crowns
novel: I have reached page {number} of the long novel. |
    Which page of the long novel have I reached? | page {number}
allotment: The waiting list for my allotment has come to place {number}. |
    At which place of the waiting list for the allotment am I? | place {number}
pinball: My record at the pinball table stands at {number} thousand. |
    What is my record at the pinball table? | {number} thousand
songs: I now know {number} folk songs by heart. | How many folk songs do I know by heart? | {number}
stamps: My stamp collection has grown to {number} sheets. |
    How many sheets does my stamp collection have? | {number}
bus: The bus to work has its stop at number {number} of our street now. |
    At which number of our street does the bus to work stop? | number {number}
class: My evening class is now held in room {number}. | In which room is my evening class held? |
    room {number}
pupils: There are {number} pupils on my list for piano lessons at present. |
    How many piano pupils do I have? | {number}
pulse: My resting pulse is at {number} these days. | What is my resting pulse? | {number}
sourdough: My sourdough is fed every {number} hours from now on. |
    How often do I feed my sourdough? | every {number} hours
honey: I have {number} jars left of last year's honey. |
    How many jars of last year's honey do I have left? | {number}
""").values()
)

# What is said of somebody else and sounds like evidence.
LOOKALIKES = (
    "{name} from next door paid {number} crowns for {an_item}, I hear.",
    "A colleague of mine, {name}, has moved to {city}, while I stay where I am.",
    "My colleague {name} has {number} of everything, it seems, even of chess clubs.",
    "{name} runs up the hill in {number} minutes, which I never will.",
    "The neighbours have {an_item} called {name}, if you can believe it.",
    "{name} {other} teaches a course next to mine.",
)
# How somebody else's words are passed on, who says of themselves what the user may say, too.
QUOTED = (
    '{name} from next door told me: "{said}"',
    'My colleague {name} wrote to me: "{said}"',
    '{name} of {city} keeps saying: "{said}"',
)
# How a statement ends, so that no two histories have it in the same words.
WITNESSES = (
    ", as I told {name}",
    ", and {name} was the first to hear of it",
    ", which {name} of {city} would not believe",
    ", as {name} and {other} can confirm",
)

REPLIES = (
    "Thank you for telling me, I will keep it in mind.",
    "That is good to know.",
    "I see, that is useful to know.",
    "Noted. Is there anything else on your mind?",
)
