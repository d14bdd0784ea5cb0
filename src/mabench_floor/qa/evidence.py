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
    return most_voted(
        (span.text, _score(seen.signs(span))) for seen, span in sightings(question, hits, search)
    )


def _score(signs: Mapping[str, float]) -> float:
    """Return the weighted sum of the features of a span."""
    weight_of = weights()
    return sum(weight_of.get(sign, 0.0) * value for sign, value in signs.items() if value)


def most_voted(scored: Iterable[tuple[str, float]]) -> str | None:
    """Return the span with the most votes; each vote is the exponential of a score.

    A span has the votes of all sentences with it, however they write it.
    """
    votes: defaultdict[str, float] = defaultdict(float)
    best_forms: dict[str, tuple[float, str]] = {}  # With the vote of each.
    for text, score in scored:
        vote, key = math.exp(score), " ".join(tokens(text))
        votes[key] += vote
        best_forms[key] = max(best_forms.get(key, (0.0, "")), (vote, text))
    if not votes:
        return None
    winner = max(votes, key=votes.__getitem__)
    _, text = best_forms[winner]
    return text


def sightings(
    question: str, hits: Sequence[Hit], search: Search
) -> Iterator[tuple[Sighting, CandidateSpan]]:
    """Yield each span in the sentences found, with its sentence."""
    asked = asked_by(question, search.lexicon.is_verb)
    holder, held = holder_of(question, search.lexicon.is_verb)
    whole = asked._replace(holder=holder, held=held & asked.words)
    for hit in hits:
        remaining = _remaining(whole, hit, search)
        seen = Sighting.of(remaining, whole, hit, hits[0].score, search)
        for span in spans_in(seen.text, remaining, search.lexicon):
            # Of "Ann and Bo", where the question is about Ann, the whole is no answer.
            if all(content_words(part) - remaining.words for part in span.text.split(" and ")):
                yield seen, span


def _remaining(whole: Asked, hit: Hit, search: Search) -> Asked:
    """Return what a question asks of a sentence, after the one that led to it if another did.

    The words of that sentence are left out, except those of the name that links the two, and those
    that are about what the answer is about.
    """
    if hit.start is None:
        return whole
    left = whole.words.difference(search.sentences[hit.start].words)
    return whole._replace(words=left.union(hit.name, whole.held)) if left else whole


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
        words = list(_WORD.finditer(text))
        start = int(search.documents.starts[hit.place])
        return cls(
            text=text,
            asked=asked,
            search=search,
            ends=[word.end() for word in words],
            at=_places_with_breaks(text, words),
            said=_places_of_asked([word.group().lower() for word in words], asked),
            earlier=frozenset(search.words_between(asked.words, start, hit.place)),
            shared=_shared_signs(whole, asked, hit, best, search),
        )

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
        """Return features of the place of a span among the words of the question.

        ``first`` and ``last`` are the numbers of its first and last word, and ``before`` is the
        text right before it.
        """
        asked, index = self.asked, self.search.index
        gaps = {
            word: _gap(places, first, last, self.at)
            for word, places in sorted(self.said.items())
            if bisect_left(places, first) == bisect_right(places, last)  # Not in the span.
        }
        said = math.fsum(index.rarity(word) / (1 + gap / _FADES) for word, gap in gaps.items())
        said += _EARLIER * index.total_rarity(self.earlier.difference(gaps))
        words_before = [word for word in tokens(before) if word not in ("the", "a", "an")]
        governing = words_before[-1] if words_before else None
        return {
            "near": math.log(said / (index.total_rarity(asked.words) or 1.0) + _LEAST),
            "noun": 1 / (1 + gaps[asked.noun] / _NOUN_FADES) if asked.noun in gaps else 0.0,
            "governed": float(governing == asked.preposition),
            "acts": self._acts(first, last) if asked.focus in gaps else 0.0,
            "by": float(asked.acts > 0 and governing == "by"),
        }

    def _acts(self, first: int, last: int) -> float:
        """Return 1 if the span is on the side of the verb where the answer should be, else -1.

        The one who acts is before an active verb and behind a passive one; the other thing, the
        other way round. Return 0 if the question does not tell whether its answer acts.
        """
        verb = min(self.said[self.asked.focus], key=lambda place: abs(place - first))
        end = self.ends[verb]
        is_passive = self.text.startswith(" by ", end) or bool(
            _PASSIVE.search(self.text, max(end - _BEFORE, 0), end)
        )
        is_before = last < verb
        span_acts = not is_before if is_passive else is_before
        return float(self.asked.acts if span_acts else -self.asked.acts)

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
        use = search.use_of(span.text)
        return signs | {
            f"name {kind}": 1.0,
            f"long name {kind}": several,
            f"placed {kind}": use.placed,
            "beside": float(asked.noun in use.near),
            **_signs_of_kind(asked, use.kinds),
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
    """Return whether a noun names things of a kind, ``person`` or ``place``."""
    return kind_of(noun) == kind or (kind == "person" and is_person(noun))


def _places_with_breaks(text: str, words: Sequence[re.Match[str]]) -> list[int]:
    """Return the place of each word; what is not a joining mark between two counts as words."""
    places: list[int] = []
    place = 0
    previous_end: int | None = None
    for word in words:
        is_joined = previous_end is None or text[previous_end : word.start()] in _JOINING
        place += 1 if is_joined else 1 + _BREAK
        places.append(place)
        previous_end = word.end()
    return places


def _places_of_asked(words: Sequence[str], asked: Asked) -> Mapping[str, list[int]]:
    """Return the places of the words of a question among ``words``, by the question's stems.

    If a word of the question is not there, those of words with its first letter count that are
    spelt or mean much like it.
    """
    places: defaultdict[str, list[int]] = defaultdict(list)
    others: list[tuple[int, str]] = []
    for place, word in enumerate(words):
        stemmed = stem(word)
        if stemmed in asked.words:
            places[stemmed].append(place)
        elif not is_function_word(word):
            others.append((place, stemmed))
    for missing in sorted(asked.words.difference(places)):
        similar = [
            place
            for place, other in others
            if other[:1] == missing[:1] and likeness(missing, other) >= _ALIKE
        ]
        if similar:
            places[missing] = similar
    return places


def _shared_signs(
    whole: Asked, asked: Asked, hit: Hit, best: float, search: Search
) -> dict[str, float]:
    """Return features of how a sentence was found; ``best`` is the best score of any.

    Features are there once more, under names of their own, if the paragraph has a title, and if the
    answer is about something that the question describes: they count otherwise there.
    """
    start = int(search.documents.starts[hit.place])
    introduction = search.documents.introduction(hit.place)
    introduced = search.index.total_rarity(asked.words & introduction)
    signs = {
        "trust": math.log(hit.score / best),
        "first": float(hit.score == best),
        "hop": float(hit.start is not None),
        "hop to subject": float(hit.is_subject),
        "named": _share_named(whole, start, search),
        "introduced": introduced / (search.index.total_rarity(asked.words) or 1.0),
    }
    opening = search.sentences[start].text
    has_title = opening[-1:] not in '.!?"' and len(opening) < _LONGEST_TITLE
    titled: dict[str, float] = {}
    if has_title:  # Documents with titles are mostly of a thing each, and several are needed.
        titled = {f"{sign} titled": value for sign, value in signs.items()}
    held: dict[str, float] = {}
    if whole.holder:
        held = {f"{sign} held": value for sign, value in signs.items()}
        held["held"] = float(whole.holder in introduction)
        held["link held"] = float(_is_near_link(whole.holder, hit, search))
    first_of_text = start + 1 if has_title else start
    return {**signs, **titled, **held, "opening": float(hit.place == first_of_text)}


def _share_named(whole: Asked, start: int, search: Search) -> float:
    """Return the share, by rarity, of a paragraph's first name that the question contains."""
    names = search.documents.names_in(start)
    if not names:
        return 0.0
    first = frozenset(names[0])
    in_question = search.index.total_rarity(whole.words & first)
    return in_question / (search.index.total_rarity(first) or 1.0)


def _is_near_link(holder: str, hit: Hit, search: Search) -> bool:
    """Return whether a noun is near the linking name in the sentence that led to another one."""
    if hit.start is None:
        return False
    words = search.sentences[hit.start].words
    return any(
        holder in words[max(place - _AROUND, 0) : place + _AROUND]
        for place, word in enumerate(words)
        if word in hit.name
    )


def _life(before: str, asked: Asked) -> float:
    """Return 1 for the date of the birth or death that is asked for, -1 for the other, else 0."""
    asks_death = not asked.words.isdisjoint(_DEATH)
    asks_birth = not asked.words.isdisjoint(_BIRTH)
    is_death, is_birth = bool(_DIED.search(before)), bool(_BORN.search(before))
    if asks_death == asks_birth or is_death == is_birth:
        return 0.0
    return 1.0 if asks_death == is_death else -1.0


def _gap(places: Sequence[int], first: int, last: int, at: Sequence[int]) -> int:
    """Return the distance of the nearest of some words from a span, in words.

    Args:
        places: the numbers of the words, ascending; there is at least one, and none is in the span.
        first: the number of the first word of the span.
        last: the number of its last word.
        at: the place of each word, with breaks counted.
    """
    after = bisect_left(places, first)
    gaps = []
    if after > 0:
        gaps.append(at[first] - at[places[after - 1]])
    if after < len(places):
        gaps.append(max(at[places[after]] - at[last], 0))
    return min(gaps)
