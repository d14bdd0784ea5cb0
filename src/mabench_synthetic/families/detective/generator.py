"""Detective rows: mysteries with four-option questions whose answers follow from the clues."""

from __future__ import annotations

from random import Random

from mabench.data.schema import RowContent
from mabench.errors import UsageError
from mabench_synthetic.families.detective.case import (
    FEET,
    INKS,
    SPOTS,
    WEAPONS,
    Case,
    hour,
    make_case,
)
from mabench_synthetic.families.detective.text import Clue, write_mystery
from mabench_synthetic.generator import Generator, Knob, QAPair, RowSpec, random_stream, row_content
from mabench_synthetic.language import sentence

# The ten public rows have 71 questions in all, six to ten each.
_PUBLIC_QUESTIONS = (6, 7, 7, 8, 6, 7, 10, 6, 8, 6)
_KNOBS = (Knob("bystanders", 3, 0, 12, "people besides the guests whose habits are observed"),)
_LETTERS = "ABCD"
_EXAMPLE = """
            For example:
            [story text]

            Question: Who let the horse out of the stable?
            A. The groom
            B. The miller's son
            C. The vicar
            D. The blacksmith

            Output: {"answer": "B. The miller's son", "reasoning": "Flour lay on the latch, and
            the miller had been at the market since dawn."}
"""
# What clears somebody, as a question says it.
_CLEARS = {
    "hand": "the use of the right hand",
    "feet": "shoes that leave no marks of nails",
    "company": "the word of a companion",
}


def _make_row(spec: RowSpec) -> RowContent:
    """Make a row: a mystery, and questions of different kinds about it.

    Raises:
        UsageError: when more questions are asked for than there are kinds.
    """
    rng = random_stream(spec.seed, "detective", spec.row)
    case = make_case(rng, int(spec.knobs["bystanders"]))
    pool = _questions(rng, case)
    if spec.questions > len(pool):
        raise UsageError(f"{spec.source}: a mystery has at most {len(pool)} questions")
    chosen = rng.sample(pool, spec.questions)
    text, clues = write_mystery(rng, case, spec.tokens)
    pairs = [pair._replace(rests_on=tuple(clues[one] for one in needed)) for pair, needed in chosen]
    return row_content(spec.source, text, pairs, id_stem=f"detective_qa_book{spec.row}")


def _questions(rng: Random, case: Case) -> list[tuple[QAPair, list[Clue]]]:
    """Return the questions of a case with their options, each gold drawn from the case.

    Beside each stand the clues that it rests on.
    """
    culprit, writer = case.culprit(), case.note_writer()
    guests = [suspect.name for suspect in case.suspects]
    seen = rng.choice([s for s in case.suspects if s.company in guests])
    placed = rng.choice(case.suspects)
    true_hour = case.clock - case.fast
    earlier = rng.randrange(4)
    hours = [hour(true_hour + (i - earlier) * case.fast) for i in range(4) if i != earlier]
    motives = [s.motive for s in case.suspects]
    victim, company = case.victim, str(seen.company)
    signs = ("hand", "feet", "company")
    guilt = [(whose, what) for whose in ("", culprit.name) for what in signs]
    motive = [*guilt, (culprit.name, "motive")]
    note = [("", "note"), (writer.name, "hand"), (writer.name, "ink")]
    return [
        (_pair(rng, f"Who killed {victim}?", culprit.name, guests), guilt),
        (_pair(rng, f"Who wrote the note that called {victim} away?", writer.name, guests), note),
        (
            _pair(rng, f"With what was {victim} killed?", case.weapon, list(WEAPONS)),
            [("", "weapon")],
        ),
        (
            _pair(rng, f"What lay between the murderer and {victim}?", culprit.motive, motives),
            motive,
        ),
        (_pair(rng, f"At what time was {victim} killed?", hour(true_hour), hours), [("", "clock")]),
        (
            _pair(rng, f"Where was {placed.name} at the time?", placed.spot, list(SPOTS)),
            [(placed.name, "company")],
        ),
        (
            _pair(rng, f"Who was with {seen.name} at the time?", company, guests, seen.name),
            [(seen.name, "company")],
        ),
        _cleared(rng, case),
        _habit(rng, case, "What did {name} wear on the feet?", FEET, "feet"),
        _habit(rng, case, "In what did {name} write?", INKS, "ink"),
    ]


def _habit(
    rng: Random, case: Case, question: str, kinds: tuple[str, ...], what: str
) -> tuple[QAPair, list[Clue]]:
    """Ask for a habit of a guest; each of the four kinds, which all occur, is as likely."""
    gold = rng.choice(kinds)
    suspect = rng.choice([s for s in case.suspects if getattr(s, what) == gold])
    asked = question.format(name=suspect.name)
    return _pair(rng, asked, gold, list(kinds)), [(suspect.name, what)]


def _cleared(rng: Random, case: Case) -> tuple[QAPair, list[Clue]]:
    """Ask whom only a single clue rules out, by the clue."""
    signs = {
        s.name: {
            "hand": not s.left_handed,
            "feet": not s.nailed_boots,
            "company": s.company is not None,
        }
        for s in case.suspects
    }
    name = rng.choice([name for name, holds in signs.items() if sum(holds.values()) == 1])
    (reason,) = (reason for reason, holds in signs[name].items() if holds)
    asked = f"Who is cleared by {_CLEARS[reason]} alone?"
    return _pair(rng, asked, name, list(signs)), [(name, reason)]


def _pair(rng: Random, question: str, gold: str, pool: list[str], barred: str = "") -> QAPair:
    """Put the gold among three of ``pool`` under letters; ``barred`` is no option."""
    options = [gold, *rng.sample([text for text in pool if text not in (gold, barred)], 3)]
    rng.shuffle(options)
    lettered = [
        f"{letter}. {sentence(text)}" for letter, text in zip(_LETTERS, options, strict=True)
    ]
    block = "\n".join(lettered)
    return QAPair(
        f"{_EXAMPLE}\n Now Answer the Question:  {question}\n{block}\n Output:",
        (lettered[options.index(gold)],),
    )


GENERATOR = Generator(
    family="detective",
    make_row=_make_row,
    knobs=_KNOBS,
    public_questions=lambda _, row: _PUBLIC_QUESTIONS[row % len(_PUBLIC_QUESTIONS)],
)
