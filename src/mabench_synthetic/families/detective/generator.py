"""Detective rows: mysteries with four-option questions whose answers follow from the clues."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from mabench.data.schema import RowContent
from mabench.errors import UsageError
from mabench_synthetic.content import QAPair, row_content
from mabench_synthetic.families.detective.case import (
    FEET,
    INKS,
    SPOTS,
    WEAPONS,
    Case,
    Suspect,
    hour,
    make_case,
)
from mabench_synthetic.families.detective.text import write_mystery
from mabench_synthetic.generator import Generator, Knob, RowSpec, random_stream
from mabench_synthetic.language.english import sentence

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
    pairs = rng.sample(pool, spec.questions)
    text = write_mystery(rng, case, spec.tokens)
    return row_content(spec.source, text, pairs, id_stem=f"detective_qa_book{spec.row}")


def _questions(rng: Random, case: Case) -> list[QAPair]:
    """Return the questions of a case with their options, each gold drawn from the case."""
    culprit, writer = case.culprit(), case.note_writer()
    guests = [suspect.name for suspect in case.suspects]
    seen = rng.choice([s for s in case.suspects if s.company in guests])
    placed = rng.choice(case.suspects)
    true_hour = case.clock - case.fast
    earlier = rng.randrange(4)
    hours = [hour(true_hour + (i - earlier) * case.fast) for i in range(4) if i != earlier]
    motives = [s.motive for s in case.suspects]
    return [
        _pair(rng, f"Who killed {case.victim}?", culprit.name, guests),
        _pair(rng, f"Who wrote the note that called {case.victim} away?", writer.name, guests),
        _pair(rng, f"With what was {case.victim} killed?", case.weapon, list(WEAPONS)),
        _pair(rng, f"What lay between the murderer and {case.victim}?", culprit.motive, motives),
        _pair(rng, f"At what time was {case.victim} killed?", hour(true_hour), hours),
        _pair(rng, f"Where was {placed.name} at the time?", placed.spot, list(SPOTS)),
        _pair(rng, f"Who was with {seen.name} at the time?", str(seen.company), guests, seen.name),
        _cleared(rng, case),
        _habit(rng, case, "What did {name} wear on the feet?", FEET, lambda s: s.feet),
        _habit(rng, case, "In what did {name} write?", INKS, lambda s: s.ink),
    ]


def _habit(
    rng: Random,
    case: Case,
    question: str,
    kinds: tuple[str, ...],
    kind_of: Callable[[Suspect], str],
) -> QAPair:
    """Ask for a habit of a guest; each of the four kinds, which all occur, is as likely."""
    gold = rng.choice(kinds)
    suspect = rng.choice([s for s in case.suspects if kind_of(s) == gold])
    return _pair(rng, question.format(name=suspect.name), gold, list(kinds))


def _cleared(rng: Random, case: Case) -> QAPair:
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
    return _pair(rng, f"Who is cleared by {_CLEARS[reason]} alone?", name, list(signs))


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
