"""Scores the spans that may answer a question, by where they are and what they are."""

from __future__ import annotations

import json
import math
import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import NamedTuple, Self

from mabench.text.stems import content_words, is_function_word, stem, tokens
from mabench_floor.likeness import likeness
from mabench_floor.qa.candidates import CandidateSpan, spans_in
from mabench_floor.qa.questions import Asked, asked_by, holder_of, is_person, kind_of
from mabench_floor.qa.search import Hit, Search

# These numbers are plain choices. The distance in words at which a word of the question, and the
# noun that is asked for, count half.
_FADES = 4.0
_NOUN_FADES = 2.0
# The weight of a word that occurs earlier in the paragraph.
_EARLIER = 0.2
# The least likeness of two words that count as the same.
_ALIKE = 0.7
# Added to a number before its logarithm is taken.
_LEAST = 0.05
# Words around the name that led to a paragraph, among which its noun may be.
_AROUND = 3
_BREAK, _JOINING = 2, frozenset(["", "-", "'", "\u2019", " "])
# How many characters before a span are looked at.
_BEFORE = 24
_PASSIVE = re.compile(r"\b(?:is|are|was|were|be|been|being) (?:\w+ )?\w+$")
_BORN = re.compile(r"\bborn (?:on |in )?(?:[A-Z]\S* )?$|\((?:born |b\. )?$")
_DIED = re.compile(r"\bdied (?:on |in )?$|\d{4} ?[-\u2013\u2014] ?$")
_BIRTH, _DEATH = frozenset(["born", "birth", "birthday"]), frozenset(["die", "death", "dead"])
_LONGEST_TITLE = 80
_WORD = re.compile(r"[^\W_]+")


@cache
def weights() -> Mapping[str, float]:
    """Return the weight of each feature of a span, as ``make fit`` writes it."""
    text = files(__package__).joinpath("weights.json").read_text(encoding="utf-8")
    fitted: dict[str, float] = json.loads(text)
    return fitted


def best_span(question: str, hits: Sequence[Hit], search: Search) -> str | None:
    """Return the best span in the sentences found, if there is any.

    A span is a date or a number if the question asks for one, else a name or a noun phrase.
    """
    scored = (
        (span.text, sum(weights().get(sign, 0.0) * value for sign, value in signs if value))
        for seen, span in sightings(question, hits, search)
        for signs in [seen.signs(span).items()]
    )
    return most_voted(scored)


def most_voted(scored: Iterable[tuple[str, float]]) -> str | None:
    """Return the span with the most votes; each vote is the exponential of a score.

    A span has the votes of all sentences with it, however they write it.
    """
    votes: defaultdict[str, float] = defaultdict(float)
    forms: dict[str, tuple[float, str]] = {}
    for text, score in scored:
        vote, key = math.exp(score), " ".join(tokens(text))
        votes[key] += vote
        forms[key] = max(forms.get(key, (0.0, "")), (vote, text))
    return forms[max(votes, key=votes.__getitem__)][1] if votes else None


def sightings(
    question: str, hits: Sequence[Hit], search: Search
) -> Iterator[tuple[Sighting, CandidateSpan]]:
    """Yield each span in the sentences found, with its sentence."""
    whole = asked_by(question, search.lexicon.is_verb)
    holder, held = holder_of(question, search.lexicon.is_verb)
    whole = whole._replace(holder=holder, held=held & whole.words)
    for hit in hits:
        asked = whole
        if hit.start is not None:  # What is left to ask after the sentence that led here.
            left = whole.words.difference(search.sentences[hit.start].words)
            asked = whole._replace(words=left.union(hit.name, whole.held)) if left else whole
        seen = Sighting.of(asked, whole, hit, hits[0].score, search)
        for span in spans_in(seen.text, asked, search.lexicon):
            # Of "Ann and Bo", where the question is about Ann, the whole is no answer.
            if all(content_words(part) - asked.words for part in span.text.split(" and ")):
                yield seen, span


class Sighting(NamedTuple):
    """A sentence whose spans are scored.

    It is analysed once for all its spans: a sentence may be as long as a chunk.

    Attributes:
        text: the sentence.
        asked: what remains to be asked of it.
        search: the search that found it.
        ends: the end of each of its words.
        at: the place of each of its words; a comma or bracket counts as two words.
        said: the places of words of the question, or of words with the same meaning.
        earlier: the words of the question that occur before it in its paragraph.
        shared: the features that all its spans share.
    """

    text: str
    asked: Asked
    search: Search
    ends: list[int]
    at: list[int]
    said: Mapping[str, list[int]]
    earlier: frozenset[str]
    shared: Mapping[str, float]

    @classmethod
    def of(cls, asked: Asked, whole: Asked, hit: Hit, best: float, search: Search) -> Self:
        """Analyse a sentence, for what remains to be asked of the ``whole`` question."""
        text = search.sentences[hit.place].text
        ends: list[int] = []
        at: list[int] = []
        said: defaultdict[str, list[int]] = defaultdict(list)
        others: list[tuple[int, str]] = []
        for place, match in enumerate(_WORD.finditer(text)):
            word = match.group().lower()
            joined = not ends or text[ends[-1] : match.start()] in _JOINING
            at.append((at[-1] if at else 0) + 1 + (0 if joined else _BREAK))
            ends.append(match.end())
            stemmed = stem(word)
            if stemmed in asked.words:
                said[stemmed].append(place)
            elif not is_function_word(word):
                others.append((place, stemmed))
        for wanted in sorted(asked.words.difference(said)):
            # Spelt or meaning much like it.
            near = [word for word in others if word[1][:1] == wanted[:1]]
            if alike := [p for p, word in near if likeness(wanted, word) >= _ALIKE]:
                said[wanted] = alike
        start = int(search.documents.starts[hit.place])
        shared = _shared_signs(whole, asked, hit, best, search)
        earlier = frozenset(search.stand_in(asked.words, start, hit.place))
        return cls(text, asked, search, ends, at, said, earlier, shared)

    def signs(self, span: CandidateSpan) -> dict[str, float]:
        """Return the features of a span, each mostly from 0 to 1."""
        first, last = bisect_right(self.ends, span.start), bisect_left(self.ends, span.end)
        before = self.text[max(span.start - _BEFORE, 0) : span.start]
        signs = {**self.shared, **self._signs_of_place(first, last, before)}
        if self.asked.kind == "date":
            signs["life"] = _life(before, self.asked)
        elif self.asked.kind != "number":
            signs |= self._signs_of_form(span)
        return signs

    def _signs_of_place(self, first: int, last: int, before: str) -> dict[str, float]:
        """Return features of the place of a span among the words of the question."""
        asked, index = self.asked, self.search.index
        near = {
            word: _gap(places, first, last, self.at)
            for word, places in sorted(self.said.items())
            if bisect_left(places, first) == bisect_right(places, last)  # Not in the span.
        }
        said = math.fsum(index.rarity(word) / (1 + gap / _FADES) for word, gap in near.items())
        said += _EARLIER * index.total_rarity(self.earlier.difference(near))
        governs = [word for word in tokens(before) if word not in ("the", "a", "an")][-1:]
        return {
            "near": math.log(said / (index.total_rarity(asked.words) or 1.0) + _LEAST),
            "noun": 1 / (1 + near[asked.noun] / _NOUN_FADES) if asked.noun in near else 0.0,
            "governed": float(governs == [asked.preposition]),
            "acts": self._acts(first, last) if asked.focus in near else 0.0,
            "by": float(asked.acts > 0 and governs == ["by"]),
        }

    def _acts(self, first: int, last: int) -> float:
        """Return 1 if the span is on the side of the verb where the one who acts is, else -1."""
        verb = min(self.said[self.asked.focus], key=lambda place: abs(place - first))
        end = self.ends[verb]
        is_passive = self.text.startswith(" by ", end) or _PASSIVE.search(
            self.text, max(end - _BEFORE, 0), end
        )
        return float(self.asked.acts if (last < verb) != bool(is_passive) else -self.asked.acts)

    def _signs_of_form(self, span: CandidateSpan) -> dict[str, float]:
        """Return features of what a span is: a name or a phrase, and of which kind."""
        asked, search, kind = self.asked, self.search, self.asked.family
        words, several = content_words(span.text), float(" " in span.text)
        rarest = max(map(search.index.rarity, words), default=0.0)
        signs = {
            "headed": float(asked.one_of and words & asked.words == {asked.noun}),
            "alike": max((likeness(asked.noun, w) for w in words - {asked.noun}), default=0.0),
            "clause": float(span.is_clause),
            "rare": rarest / math.log(1 + len(search.sentences)),
            "closed": float(self.text[span.end : span.end + 1] in tuple(".,;:)")),
        }
        if not span.is_name:
            return signs | {"long": several}
        standing = search.standing(span.text)
        return signs | {
            f"name {kind}": 1.0,
            f"long name {kind}": several,
            f"placed {kind}": standing.placed,
            "beside": float(asked.noun in standing.near),
            **_signs_of_kind(asked, standing.kinds),
        }


def _signs_of_kind(asked: Asked, kinds: frozenset[str]) -> dict[str, float]:
    """Return features of whether the nouns that describe a name are of the kind asked for."""
    if asked.noun and asked.one_of:
        fits = max((likeness(asked.noun, stem(kind)) for kind in kinds), default=0.0)
    elif asked.kind in ("person", "place"):
        fits = float(any(_is_of(asked.kind, kind) for kind in kinds))
    else:
        return {}
    return {"kind": fits, "other kind": float(bool(kinds) and not fits)}


def _is_of(kind: str, noun: str) -> bool:
    return kind_of(noun) == kind or (kind == "person" and is_person(noun))


def _shared_signs(
    whole: Asked, asked: Asked, hit: Hit, best: float, search: Search
) -> dict[str, float]:
    """Return features of how a sentence was found; ``best`` is the best score of any."""
    documents, index = search.documents, search.index
    start = int(documents.starts[hit.place])
    names = documents.names_in(start)[:1]
    named = index.total_rarity(whole.words.intersection(*names)) if names else 0.0
    introduction = documents.introduction(hit.place)
    introduced = index.total_rarity(asked.words & introduction)
    opening = search.sentences[start].text
    has_title = opening[-1:] not in '.!?"' and len(opening) < _LONGEST_TITLE
    signs = {
        "trust": math.log(hit.score / best),
        "first": float(hit.score == best),
        "hop": float(hit.start is not None),
        "hop to subject": float(hit.is_subject),
        "named": named / (index.total_rarity(set(*names)) or 1.0) if names else 0.0,
        "introduced": introduced / (index.total_rarity(asked.words) or 1.0),
    }
    shared = dict(signs)
    if has_title:  # Documents with titles are mostly of a thing each, and several are needed.
        signs |= {f"{sign} titled": value for sign, value in shared.items()}
    if whole.holder:
        signs |= {f"{sign} held": value for sign, value in shared.items()}
        words = search.sentences[hit.start].words if hit.start is not None else ()
        around = (
            words[max(place - _AROUND, 0) : place + _AROUND]
            for place, word in enumerate(words)
            if word in hit.name
        )
        signs |= {
            "held": float(whole.holder in introduction),
            "link held": float(any(whole.holder in own for own in around)),
        }
    return signs | {"opening": float(hit.place == start + has_title)}


def _life(before: str, asked: Asked) -> float:
    """Return 1 for the date of the birth or death that is asked for, -1 for the other, else 0."""
    wanted = bool(asked.words & _DEATH) - bool(asked.words & _BIRTH)
    return float(wanted * (bool(_DIED.search(before)) - bool(_BORN.search(before))))


def _gap(places: Sequence[int], first: int, last: int, at: Sequence[int]) -> int:
    """Return the distance of the nearest of the ascending ``places`` from a range."""
    after = bisect_left(places, first)
    gaps = [at[first] - at[place] for place in places[max(after - 1, 0) : after]]
    return min(gaps + [max(at[place] - at[last], 0) for place in places[after : after + 1]])
