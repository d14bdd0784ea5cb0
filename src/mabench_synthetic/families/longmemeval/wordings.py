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


_DETAILS = table("chats", "details")


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
    table("chats", "preferences").values()
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
    table("chats", "updates").values()
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
