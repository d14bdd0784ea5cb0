"""Labelled texts made afresh: what visitors of a botanical garden say, and what they mean."""

from itertools import product
from random import Random

CORES = {
    "opening": ("when do you {open} {day}", "what are the {hours} {day}", "are you {shut} {day}"),
    "fee": ("how {much} is a {pass}", "what does a {pass} {cost}", "is there a {cut} for {group}"),
    "way": ("how do I {reach} you from {place}", "which {bus} stops near you",
            "is there {parking} at the gate"),
    "tour": ("can a {guide} show us round {day}", "I want to {book} a {walk} for {group}",
             "do your {walk}s {leave} every hour"),
    "plant": ("what is the {tree} with {feature}", "where {grow} the {tree}s",
              "does the {tree} {flower} in {month}"),
    "food": ("is the {cafe} open for {meal}", "do you serve {dish} at the {cafe}",
             "may we bring our own {meal}"),
    "loss": ("I {lost} my {thing} near the {spot}", "has anybody {found} a {thing}",
             "my {thing} is {gone} since the {walk}"),
    "pets": ("may my {pet} come along", "are {pet}s let into the {spot}",
             "must a {pet} stay on a lead by the {spot}"),
    "access": ("can a {chair} get to the {spot}", "are there steps to the {spot}",
               "do you lend a {chair} to {group}"),
    "shop": ("do you {sell} {seed} of the {tree}", "where can I {buy} a {souvenir}",
             "what does a {souvenir} {cost} in the shop"),
}  # fmt: skip
WORDS = {
    "open": ("open", "let people in", "unlock the gate"), "day": ("on Sunday", "today", "in May"),
    "hours": ("opening hours", "hours", "closing times"), "shut": ("shut", "closed", "open"),
    "much": ("much", "expensive"), "pass": ("ticket", "day pass", "season card"),
    "cost": ("cost", "come to"), "cut": ("discount", "reduction", "lower price"),
    "group": ("pensioners", "a school class", "two children"), "reach": ("reach", "get to", "find"),
    "place": ("the station", "the harbour", "downtown"), "bus": ("bus", "tram", "underground line"),
    "parking": ("parking", "a car park", "a rack for bicycles"), "guide": ("guide", "gardener"),
    "book": ("book", "reserve"), "walk": ("tour", "guided walk"), "leave": ("leave", "start"),
    "tree": ("oak", "magnolia", "cedar", "orchid", "fern", "willow"),
    "feature": ("red leaves", "those huge blossoms", "peeling bark"),
    "grow": ("grow", "are", "can I see"), "flower": ("flower", "bloom", "lose its leaves"),
    "month": ("March", "June", "autumn"), "cafe": ("cafe", "tea room", "kiosk"),
    "meal": ("lunch", "breakfast", "a picnic"), "dish": ("soup", "vegan cake", "ice cream"),
    "lost": ("lost", "dropped", "forgot"), "thing": ("scarf", "key", "phone", "camera"),
    "spot": ("pond", "palm house", "rose garden", "bamboo grove"), "found": ("found", "handed in"),
    "gone": ("gone", "missing"), "pet": ("dog", "puppy", "parrot", "cat"),
    "chair": ("wheelchair", "pushchair", "walking frame"), "sell": ("sell", "have"),
    "seed": ("seeds", "cuttings"), "buy": ("buy", "get"), "souvenir": ("postcard", "mug", "book"),
}  # fmt: skip
OPENERS = ("", "", "hello, ", "excuse me, ", "quick question: ", "hi there, ")

Pair = tuple[str, str]


def make_demonstrations(
    seed: int, shots: int, *, name: str = "label", words: bool = False
) -> tuple[str, list[Pair]]:
    """Return a history of ``shots`` texts of each class, and other texts with their values.

    Values are numbers in random order, or words where ``words`` is set.
    """
    rng = Random(seed)
    numbers = rng.sample(range(40), len(CORES))
    values = {
        kind: f"{kind} query" if words else str(n) for kind, n in zip(CORES, numbers, strict=True)
    }
    shown: list[Pair] = []
    asked: list[Pair] = []
    for kind in CORES:
        texts = dict.fromkeys(_text(rng, kind) for _ in range(40 * shots))
        pairs = [(text, values[kind]) for text in texts]
        shown += pairs[:shots]
        asked += pairs[shots : shots + 6]
    rng.shuffle(shown)
    return "\n\n".join(f"{text}\n{name}: {value}" for text, value in shown) + "\n\n", asked


# Questions of which the form alone tells what they are about: a person, a thing, a year.
FORMS = {
    "1": ("What of {name}?", "Has anybody told you of {name} before?"),
    "2": ("What of {noun}?", "Has anybody told you of {noun} before?"),
    "3": ("What of {year}?", "Has anybody told you of {year} before?"),
}  # fmt: skip
# Words without content, which say nothing of a class.
_BETWEEN = ("the", "my", "to", "with", "of", "is", "for", "a", "and", "on", "it", "has", "this")
_SYLLABLES = ("ba", "do", "fen", "gul", "hes", "ki", "lor", "mu", "nat", "pol", "rin", "sev")


def make_questions(seed: int) -> tuple[list[Pair], list[Pair]]:
    """Return questions with the values of their forms, and others; no name or noun recurs."""
    rng = Random(seed)
    made = iter(rng.sample(["".join(p) for p in product(_SYLLABLES, repeat=4)], 2_000))

    def ask(form: str) -> str:
        while "{" in form:
            form = form.replace("{noun}", next(made), 1)
            form = form.replace("{name}", f"{next(made).title()} {next(made).title()}", 1)
            form = form.replace("{year}", str(rng.randrange(1000, 2000)), 1)
        return form

    pairs = [(ask(rng.choice(FORMS[value])), value) for value in FORMS for _ in range(60)]
    rng.shuffle(pairs)
    return pairs[:120], pairs[120:]


def make_wishes(seed: int) -> tuple[list[Pair], list[Pair]]:
    """Return texts of 25 classes, ten of each, and others of the same classes.

    A class is what is wanted, and of which thing. Each is said by one of two made-up words. The
    two stand apart, in either order, and now and then others stand between them.
    """
    rng = Random(seed)
    made = iter(rng.sample(["".join(p) for p in product(_SYLLABLES, repeat=2)], 32))
    wants, things = ([[next(made), next(made)] for _ in range(5)] for _ in range(2))
    strays = [*made, *(word for words in (*wants, *things) for word in words)]

    def between(fewest: int, most: int) -> list[str]:
        kinds = rng.choices((_BETWEEN, strays), (0.85, 0.15), k=rng.randint(fewest, most))
        return [rng.choice(kind) for kind in kinds]

    def wish(want: int, thing: int) -> str:
        one, other = rng.sample((rng.choice(wants[want]), rng.choice(things[thing])), 2)
        return " ".join((*between(1, 3), one, *between(1, 4), other, *between(0, 2)))

    classes = list(product(range(5), repeat=2)) * 20
    pairs = list({wish(*one): str(one[0] * 5 + one[1]) for one in classes}.items())
    rng.shuffle(pairs)
    return pairs[:250], pairs[250:400]


def _text(rng: Random, kind: str) -> str:
    choice = {slot: rng.choice(words) for slot, words in WORDS.items()}
    return rng.choice(OPENERS) + rng.choice(CORES[kind]).format(**choice) + rng.choice("?? ")
