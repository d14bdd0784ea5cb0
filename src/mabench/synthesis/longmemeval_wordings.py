"""What a user and an assistant talk about: evidence for the questions, and all the rest.

Slots of evidence: name and other (invented names), city, number. A gold repeats one of them.
"""

from __future__ import annotations

from typing import NamedTuple


class Detail(NamedTuple):
    """Something the user mentions once: how it is said, asked for, and what the answer is.

    ``unasked`` is a question for a like thing that was never mentioned, and ``known`` says
    what was mentioned instead.
    """

    said: str
    question: str
    gold: str
    unasked: str
    known: str


DETAILS = (
    Detail(
        "By the way, I paid {number} crowns for my new canoe from {name} Outfitters.",
        "How much did I pay for my canoe?", "{number} crowns",
        "How much did I pay for my kayak?", "a canoe, not a kayak",
    ),
    Detail(
        "My cousin {name} has just moved to {city}, so I may visit soon.",
        "To which city did my cousin {name} move?", "{city}",
        "To which city did my nephew {name} move?", "a cousin of that name, not a nephew",
    ),
    Detail(
        "I should say that I have a dog called {name} who comes along everywhere.",
        "What is the name of my dog?", "{name}",
        "What is the name of my parrot?", "a dog, not a parrot",
    ),
    Detail(
        "The pottery course I take on Tuesdays is taught by {name} {other}.",
        "Who teaches my pottery course?", "{name} {other}",
        "Who teaches my drawing course?", "a pottery course, not a drawing course",
    ),
    Detail(
        "My locker at the swimming hall is number {number}, which I keep forgetting.",
        "What is the number of my locker at the swimming hall?", "{number}",
        "What is the number of my locker at the station?",
        "a locker at the swimming hall, not at the station",
    ),
    Detail(
        "I found my grandmother's recipe book in the attic of the house in {city}.",
        "In which city did I find my grandmother's recipe book?", "{city}",
        "In which city did I find my grandfather's diary?",
        "a recipe book of a grandmother, not a diary of a grandfather",
    ),
    Detail(
        "I have been reading a book called The {name} Ledger before going to sleep.",
        "What is the title of the book that I have been reading before sleep?",
        "The {name} Ledger",
        "What is the title of the play that I have been reading before sleep?",
        "a book, not a play",
    ),
)  # fmt: skip

# Kinds of places that the assistant recommends.
PLACES = ("bakery", "guesthouse", "bookshop", "tea house", "bicycle workshop", "nursery")

# What the user prefers, a later request, and what a good answer takes into account.
PREFERENCES = (
    (
        "I get seasick easily, so I travel by train, and I love small stations.",
        "Can you suggest how to spend a long weekend away?",
        "The user would prefer journeys by train with small stations on the way, and would not "
        "want trips by boat.",
    ),
    (
        "I cook on one small gas ring, and I am very fond of lentils.",
        "What could I cook for my friends on Saturday?",
        "The user would prefer dishes with lentils that need one ring only, and would not want "
        "recipes that need an oven.",
    ),
    (
        "I learn best by ear, above all from old radio plays.",
        "How could I improve my knowledge of a foreign language?",
        "The user would prefer ways of learning by ear, such as radio plays, and would not want "
        "lists of words to read.",
    ),
    (
        "I only exercise outdoors before breakfast, and gyms make me gloomy.",
        "Do you have an idea for getting fitter this season?",
        "The user would prefer exercise outdoors in the early morning, and would not want to be "
        "sent to a gym.",
    ),
)

# What comes in several purchases or finds, with the verb of the question.
COUNTED = (
    ("I bought {number} tomato seedlings today.", "How many tomato seedlings did I buy in total?"),
    ("I filled {number} jars with plum jam.", "How many jars of plum jam did I fill in total?"),
    ("I found {number} old coins in the field.", "How many old coins did I find in total?"),
    ("I finished {number} squares of my quilt.", "How many squares of my quilt did I finish?"),
    ("I posted {number} parcels for the raffle.", "How many parcels for the raffle did I post?"),
)

# What the user does on one day, in the past tense.
DONE = (
    "planted the apple tree", "sold the old piano", "visited the clock museum",
    "repaired the garden gate", "started the swimming course", "painted the kitchen",
    "adopted the grey cat", "rowed across the lake", "gave the speech at the club",
    "baked bread from rye",
)  # fmt: skip

# A value that changes: how it is said, and how it is asked for.
UPDATED = (
    (
        "My best time for the hill run is now {number} minutes.",
        "What is my best time for the hill run?",
        "{number} minutes",
    ),
    (
        "There are {number} members in my chess club at the moment.",
        "How many members does my chess club have?",
        "{number}",
    ),
    (
        "I now keep {number} bees' nests under the roof of the shed.",
        "How many bees' nests do I keep under the roof of the shed?",
        "{number}",
    ),
)

REPLIES = (
    "Thank you for telling me, I will keep it in mind.",
    "That is good to know.",
    "I see, that is useful to know.",
    "Noted. Is there anything else on your mind?",
)

# Small talk by topic: what the user asks, and pieces of advice.
TOPICS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "garden": (
        ("What should I do in the garden this month?", "Why do my beans turn yellow?",
         "How often should I water a new hedge?", "Is it too late to sow spinach?"),
        ("Loosen the soil before you sow anything.", "Water early in the day, and the roots only.",
         "A layer of straw keeps the moisture in.", "Yellow leaves often mean too much water.",
         "Cut back what has flowered already.", "Nets keep pigeons off young leaves.",
         "Compost should smell of forest, not of kitchen.", "Give climbing plants a firm support."),
    ),
    "kitchen": (
        ("How do I keep a soup from tasting flat?", "What can I do with stale bread?",
         "Why does my dough not rise?", "How should I store fresh herbs?"),
        ("A little vinegar at the end wakes up a soup.", "Toast stale bread and crush it.",
         "Dough needs warmth and patience.", "Wrap herbs in a damp cloth.",
         "Salt in small steps and taste each time.", "A heavy pan heats more evenly.",
         "Let meat rest before you carve it.", "Old yeast is the usual suspect."),
    ),
    "travel": (
        ("What should I pack for a walking tour?", "How do I find quiet places to stay?",
         "Is it wise to travel without a plan?", "How can I sleep better in a train?"),
        ("Two pairs of socks are worth a second coat.", "Ask where the locals take their guests.",
         "Leave one day in four without any plan.", "Carry copies of your papers.",
         "Earplugs weigh nothing and help a lot.", "A paper map needs no battery.",
         "Eat where there is no picture of the food.", "Book the first night and no more."),
    ),
    "money": (
        ("How do I keep track of small expenses?", "Should I save or pay off a loan first?",
         "How large should a reserve be?", "What is a sensible budget for presents?"),
        ("Write down every sum for one month.", "Pay the most expensive loan first.",
         "Keep three months of expenses at hand.", "Set aside a fixed part on payday.",
         "Compare prices by weight, not by packet.", "Cancel what you have not used in a year.",
         "A list keeps you from buying on a whim.", "Look at the yearly cost of any contract."),
    ),
    "photography": (
        ("How do I photograph people who are shy?", "Which light is best for old buildings?",
         "Why are my pictures of birds blurred?", "How can I sort thousands of pictures?"),
        ("Talk first and take the picture later.", "Low light from the side shows the texture.",
         "A short exposure freezes a wing.", "Delete without mercy on the same evening.",
         "Move closer before you zoom.", "Watch the edges of the frame.",
         "Use a rest for long lenses.", "One good picture a day is plenty."),
    ),
    "music": (
        ("How long should I practise each day?", "How do I learn a piece by heart?",
         "What can I do against stage fright?", "Is an old violin worth repairing?"),
        ("Twenty minutes each day beat two hours on Sunday.", "Begin with the last line.",
         "Play for one friend before you play for many.", "Breathe out longer than you breathe in.",
         "Slow practice is fast progress.", "Ask a maker for an estimate first.",
         "Sing the line before you play it.", "Record yourself and listen a day later."),
    ),
    "home": (
        ("How do I get a draughty window tight?", "What helps against moths?",
         "How can I make a small room look larger?", "Why does my door stick in summer?"),
        ("A strip of felt stops most draughts.", "Cedar wood keeps moths at a distance.",
         "A mirror opposite the window adds depth.", "Wood swells when the air is damp.",
         "Mark the spot with chalk and plane a little.", "Light colours on the ceiling help.",
         "Air the rooms briefly and fully.", "Check the seals before you call anyone."),
    ),
    "fitness": (
        ("How do I start running after a long break?", "What helps against a stiff neck?",
         "How much sleep do I need before a race?", "Should I stretch before or after?"),
        ("Walk and run in turns for a month.", "Roll the shoulders every hour.",
         "The night before last counts most.", "Stretch gently when you are warm.",
         "Add a tenth each week and not more.", "Pain is a message, soreness is not.",
         "Shoes wear out sooner than they look.", "A walk after dinner does wonders."),
    ),
}  # fmt: skip
