"""Readers who know the language of labelled texts, and learn from demonstrations what labels mean.

They work from frames, names and nouns alone. Nothing of the generator's choice for a text is
known to them, so a gold that they reach follows from the demonstrations.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence

from mabench.data.schema import RowContent
from mabench_floor.labels.classifier import Classifier, Demonstration
from mabench_floor.labels.skill import nearest
from mabench_synthetic import GENERATORS, row_specs
from mabench_synthetic.families.icl.intents import Intents
from mabench_synthetic.families.icl.questions import COMMON, FRAMES, NOUNS, OPEN, OWN, VERBS

Meanings = Callable[[str], set[Hashable]]

_THING = "#"
_DO = f"(?:{'|'.join(VERBS)})"
_DID = rf"(?:{'|'.join(VERBS)}|{'|'.join(verb[:-1] for verb in VERBS)})i?e?d"


class IntentReader:
    """Knows every name and wording of a language: what is wanted, and with what."""

    def __init__(self, intents: Intents) -> None:
        things = [(name, thing) for thing, names in intents.things.items() for name in names]
        names = sorted({name for name, _ in things}, key=len, reverse=True)
        self.name = re.compile(rf"\b({'|'.join(map(re.escape, names))})\b", re.IGNORECASE)
        self._things: defaultdict[str, set[str]] = defaultdict(set)
        for name, thing in things:
            self._things[name.lower()].add(thing)
        self._needs = [
            (need, re.compile(_pattern(wording), re.IGNORECASE))
            for need, wordings in intents.needs.items()
            for wording in wordings
        ]

    def meanings(self, text: str) -> set[Hashable]:
        return {*self._found(text)}

    def _found(self, text: str) -> Iterator[tuple[str, str]]:
        names = self.name.findall(text)
        marked = self.name.sub(_THING, text).replace(f" an {_THING}", f" a {_THING}")
        for need, wording in self._needs:
            for hit in wording.finditer(marked):
                place = marked[: hit.start() + hit[0].index(_THING)].count(_THING)
                for thing in sorted(self._things[names[place].lower()]):
                    yield thing, need


class QuestionReader:
    """Knows the frames of questions and the nouns that they ask with."""

    def __init__(self, *, groups: bool) -> None:
        self._frames = [
            (group if groups else kind, re.compile(_frame(frame, nouns), re.IGNORECASE))
            for group, kinds in NOUNS.items()
            for (kind, _), nouns in ((key.split(), nouns) for key, nouns in kinds.items())
            for frame in (*OWN.get(kind, ()), *OPEN.get(group, ()), *FRAMES[group], *COMMON)
        ]

    def meanings(self, text: str) -> set[Hashable]:
        """Return what kinds of answer, or groups of them, frames ask for that fit ``text``."""
        return {kind for kind, frame in self._frames if frame.fullmatch(text)}


def learnt(shown: Iterable[Demonstration], meanings: Meanings) -> dict[Hashable, str]:
    """Return the label shown most with each meaning, by the texts that have only one."""
    votes: defaultdict[Hashable, Counter[str]] = defaultdict(Counter)
    for text, label in shown:
        found = meanings(text)
        if len(found) == 1:
            votes[found.pop()][label] += 1
    return {meaning: labels.most_common(1)[0][0] for meaning, labels in votes.items()}


def _frame(frame: str, nouns: Sequence[str]) -> str:
    """Turn a frame into a pattern; a noun may stand behind another, and a tail behind all."""
    asked = rf"(?:[\w ]+ )?(?:{'|'.join(map(re.escape, nouns))})"
    slots = {"{h}": asked, "{do}": _DO, "{did}": _DID, "{done}": _DID}
    return _pieces(frame.removesuffix("?"), slots) + r"(?: [^?]+)?\??"


def _pattern(wording: str) -> str:
    """Turn a wording into a pattern in which a thing is one sign."""
    return r"(?<!\w)" + _pieces(wording.removesuffix("?"), {"{o}": _THING}) + r"(?!\w)"


def _pieces(wording: str, slots: dict[str, str]) -> str:
    """Turn a wording into a pattern; slots that are not given stand for any words."""
    parts = re.split(r"\(([^()]*)\)", wording)
    return "".join(
        f"(?:{'|'.join(_literal(one, slots) for one in part.split('/'))})"
        if place % 2
        else _literal(part, slots)
        for place, part in enumerate(parts)
    )


def _literal(text: str, slots: dict[str, str]) -> str:
    return "".join(
        slots.get(piece, r"[^,.?]+?")
        if piece.startswith("{")
        else r"\s*"
        if piece.isspace()
        else re.escape(piece)
        for piece in re.split(r"(\{\w+\}|\s+)", text)
    )


BANKING = "icl_banking77_5900shot_balance"
CLINIC = "icl_clinic150_7050shot_balance"
NLU = "icl_nlu_8296shot_balance"
COARSE = "icl_trec_coarse_6600shot_balance"
FINE = "icl_trec_fine_6400shot_balance"
CLASSES = {BANKING: 77, CLINIC: 150, NLU: 68, COARSE: 6, FINE: 50}


def icl_row(
    source: str,
    seed: int = 0,
    *,
    tokens: int | None = 12_000,
    questions: int = 50,
    knobs: Mapping[str, float] | None = None,
    **more: float,
) -> RowContent:
    (spec,) = row_specs(
        source, seed, tokens=tokens, questions=questions, knobs={**(knobs or {}), **more}
    )
    return GENERATORS["icl"].make_row(spec)


def demonstrations(row: RowContent) -> list[Demonstration]:
    pairs = (block.rsplit("\nlabel: ", 1) for block in row.context.split("\n\n"))
    return [Demonstration(text, label) for text, label in pairs]


def linear(row: RowContent, _: object = None) -> Iterator[float]:
    """Say of each question whether a linear classifier labels it right."""
    classifier = Classifier(demonstrations(row), tuned=False)
    for question, (gold,) in zip(row.questions, row.answers, strict=True):
        yield float(classifier.value(question) == gold)


def most_alike(row: RowContent, _: object = None) -> Iterator[float]:
    """Say of each question whether the demonstration that is most alike has its label."""
    shown = demonstrations(row)
    for question, (gold,) in zip(row.questions, row.answers, strict=True):
        yield float(nearest(question, shown)[0].value == gold)
