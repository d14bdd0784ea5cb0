"""What a user tells an assistant that questions rest on, and what is like it.

Slots of evidence: name and other (invented names), city, number, and the item of a detail with a
like item that was never mentioned. A gold repeats one of them.
"""

from __future__ import annotations

from typing import NamedTuple

from mabench_synthetic.language.wordings import table


class Detail(NamedTuple):
    """Something the user mentions once: the statement, the question for it, and the answer.

    ``items`` are pairs of similar things. One of them is mentioned; a question about the other
    has no answer.
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

# What the user prefers, a later request, what a good answer takes into account, and what may stand
# for {this} and {that}: the same request has another answer in another history.
PREFERENCES = tuple(
    table("""
journeys: I travel {this} whenever I can, and I love {that}. |
    Can you suggest how to spend a long weekend away? |
    The user would prefer a journey {this} that leads to {that}. |
    by train, by bicycle, by river boat, on foot | small stations, old castles, quiet lakes, markets
dishes: I cook {this}, and I am very fond of {that}. |
    What could I cook for my friends on Saturday? |
    The user would prefer dishes made {this}, with {that}. |
    on one small gas ring, in a clay oven, over a wood fire, in a large pan |
    lentils, mushrooms, pumpkin, smoked fish
languages: I learn best {this}, above all with {that}. |
    How could I improve my knowledge of a foreign language? |
    The user would prefer to learn {this}, such as with {that}. |
    by ear, by reading aloud, by copying texts, in company |
    old radio plays, folk songs, comic strips, letters to the editor
exercise: I only exercise {this}, and I enjoy {that} most. |
    Do you have an idea for getting fitter this season? |
    The user would prefer to exercise {this}, above all by {that}. |
    before breakfast, at noon, after work, late in the evening |
    swimming, rowing, climbing, dancing
presents: I only give presents that {this}, and I avoid {that}. |
    What could I bring my hostess next week? |
    The user would prefer a present that {this}, without {that}. |
    can be eaten, I have made myself, last for years, fit into a pocket |
    perfume, plastic, glass, bright colours
books: I read {this}, and I like {that}. |
    Which kind of book would suit me for the autumn? |
    The user would prefer a book to read {this}, with {that}. |
    on the bus, in bed, to my children, in the bath |
    short chapters, many maps, unreliable narrators, recipes between the pages
plants: My rooms are {this}, and I want to see {that}. |
    Which plants should I get for my rooms? |
    The user would prefer plants for rooms that are {this}, with {that}. |
    dark, hot and dry, cool and damp, full of draughts |
    large leaves, white flowers, long tendrils, berries
places to live: I am happiest near {this}, and I cannot do without {that}. |
    Where should I look for a place to live? |
    The user would prefer a place near {this}, with {that}. |
    a forest, a harbour, a market, a university | a tram stop, a balcony, a cellar, silence at night
birthdays: I like to meet people {this}, and I am fond of {that}. |
    How could I celebrate my birthday? |
    The user would prefer to meet people {this}, with {that}. |
    one at a time, in a crowd, out of doors, around a large table |
    board games, loud music, long speeches, fancy dress
tasks: I work best {this}, with {that} beside me. |
    How should I organise my next big task? |
    The user would prefer to work {this}, with {that} at hand. |
    early in the day, at night, standing up, in short bursts |
    a paper list, a stop watch, a pot of tea, a friend
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
