"""The rule for questions that offer options: eventqa and detective_qa."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from itertools import islice, pairwise
from math import log

from mabench.scoring.corrected.answer import correct_answer
from mabench.scoring.corrected.rule import (
    Corrected,
    Stated,
    is_same,
    refuses,
    right,
    standing_asked,
    unclear,
    values_left,
    wrong,
)
from mabench.scoring.final_answer import Form, Found, final_answers
from mabench.scoring.lexicon import words
from mabench.scoring.reading import clauses
from mabench.scoring.sameness.kin import same_word
from mabench.scoring.sameness.same import Mention, mentions
from mabench.scoring.settle import settled
from mabench.scoring.tokens import plain, spelling, tokens, without_contractions
from mabench.text import Option, options_in
from mabench.text.stems import is_function_word

_LEAD = re.compile(
    r"^\W*(?:(?:the|my|so|next|event)\W+)*(?:(?:final|correct|best|right|next)\s+)?"
    r"(?:answer|option|choice|event)\b\W*(?:is\b\W*)?(?:that\b\W*)?(?:option\b\W*)?",
    re.IGNORECASE,
)
_JOINT = re.compile(
    r"^[\"')\].]{0,3}\s*(?:,|/|\bor\b|\band\b|&|\|)[\s,]*(?:or |and |the |option |\(|\"|')*$",
    re.IGNORECASE,
)
_LETTER = re.compile(r"(?<![\w.'\u2019])(?P<letter>[A-Z])(?![\w'\u2019]|-\w)")
_WORD_BEFORE = re.compile(r"([A-Z][a-z]+)\s$")
_WORD_AFTER = re.compile(r"\s+([^\W_][\w']*)")
_NUMBERED = re.compile(
    r"\b(?:option|event|choice|number|answer)s?(?:\s+(?:number|no\.?|is))?\W{0,3}(\d{1,2})\b"
    r"(?:\s*(?:,|or|and|/|&)\s*(\d{1,2})\b)?"
    r"|\b(\d{1,2})(?:st|nd|rd|th) (?:option|event|choice|one|1|of the \d+)\b",
    re.IGNORECASE,
)
_ARTICLE = re.compile(r"\b(?:the|an?) $", re.IGNORECASE)
_NUMBER = re.compile(r"\W*(\d{1,2})\W*")
_ITEM_LINE = re.compile(r"^[ \t]*\(?(\d{1,2})[.):][ \t]+(\S.*)$", re.MULTILINE)
_NEGATION = re.compile(r"\b(?:not|never|no|nor|without)\b|n['\u2019]t\b", re.IGNORECASE)
_MAYBE = 0.8  # Share of an option that names it in other words, where it is a sentence.
_APART = 0.3  # How much more of a name a text says than of any other.
_LIKE = 0.5  # Of what tells another option, from how much on a gold may be meant.
_PREFIX = 4  # Words of a cut-off option that name it.
_PERSON = 5  # Words that name somebody.
_MOST = 40


def correct_choice(
    prediction: str, answers: Sequence[str], question: str | None = None
) -> Corrected:
    """Score whether ``prediction`` chooses the option of ``question`` that is the answer.

    An option is chosen by its letter, its number, its text, or by the words that tell it from
    the others. Options that are ruled out, or named in a reason, are not chosen; to choose
    several is no choice. Where no option that is offered is the answer, it is read as an answer
    to a question without options is.
    """
    if is_same(prediction, answers, spelling):
        return right("option-alone")
    if not prediction.strip():
        return wrong("no-answer")
    options = _Options(question or "")
    golds = {options.called(answer) for answer in answers} - {None}
    if not golds:
        return correct_answer(prediction, answers)
    for found in final_answers(prediction):
        result = _read(found, options, golds)
        if result is not None:
            return result
        if found.is_final:
            break
    return wrong("no-option")


def _read(found: Found, options: _Options, golds: AbstractSet[int | None]) -> Corrected | None:
    said = found.text if found.form is Form.WHOLE else found.line
    is_first, is_said = found.form is Form.FIRST_LINE, found.form in (Form.SAID, Form.CONCLUDED)
    option = options.called(said)
    if is_first and (option is None or not found.explained):
        return None
    if option is not None:
        return (right if option in golds else wrong)("option-alone")
    text = _readable(said).strip()
    chosen, rule = _chosen(text, options)
    if len(chosen) == 1:
        return (right if chosen & golds else wrong)(rule)
    if refuses(text):
        return None if is_said else wrong("refusal")
    if chosen or rule != "no-option":
        return unclear(rule) if chosen & golds else wrong("several-options" if chosen else rule)
    told = options.nearest(text, golds)
    if told is None:
        return unclear("option-near")
    return right("option-nearest") if told else None if is_said else wrong("no-option")


def _chosen(text: str, options: _Options) -> tuple[set[int], str]:
    """Return the options that a text settles on, or leaves open, and by which rule."""
    named = options.named(text)
    left = values_left(text, named)
    values = {one.value for one in left}
    if len(values) < 2:
        return values, "option-named" if left else "option-rejected" if named else "no-option"
    stated = clauses(text, [Mention(one.start, one.end) for one in left])
    sides = [{one.value for one in left if clause.holds(one.start)} for clause in stated]
    others = [
        (a, b, _ARTICLE.sub("", text[a.end : b.start]))
        for a, b in pairwise(left)
        if a.value != b.value
    ]
    joined = [(a, b) for a, b, between in others if _JOINT.match(between)]
    below = [
        (a, b)
        for a, b, between in others
        if not (re.search(r"\w", between) or _JOINT.match(between))
        and re.match(r"[^\w\n]*(?:$|\n)", text[b.end :])
    ]
    places = [one.start for pair in (*joined, *below) for one in pair]
    listed = {n for n, clause in enumerate(stated) if any(map(clause.holds, places))}
    if not re.search(r"\w", text[: left[0].start]) and 0 not in listed:
        return {left[0].value}, "option-named"
    value = settled(sides, listed)
    if value is not None:
        return {value}, "option-named"
    is_pair = len(values) == 2 and not below  # "A or C" may count half.
    return (values, "options-unclear") if is_pair or not listed else (set(), "several-options")


class _Options:
    """The options of a question, and what each may be called."""

    def __init__(self, question: str) -> None:
        self.all = options_in(question) or _numbered_options(question)
        asked = question.partition(self.all[0].text)[0].rstrip() if self.all else ""
        self._asked = "\n".join(asked.split("\n")[-2:])
        self._is_lettered = any(option.letter for option in self.all)
        self._letters = {option.letter: place for place, option in enumerate(self.all)}
        self._spelt = [spelling(option.text) for option in self.all]
        # Without spaces, since a drive-way is a driveway.
        self._places = {"".join(said): place for place, said in reversed([*enumerate(self._spelt)])}
        for letter, place in self._letters.items():
            if letter and self._spelt[place]:
                self._places.setdefault(letter.casefold() + "".join(self._spelt[place]), place)
                self._places.setdefault(letter.casefold(), place)
        self._places.pop("", None)
        names = [{t.word for t in tokens(option.text) if t.is_name} for option in self.all]
        holding = Counter(word for own in names for word in own if not is_function_word(word))
        own = [{w for w in every - words("names.titles") if holding[w] == 1} for every in names]
        # Of people, who alone has a name may be called by it.
        are_short = max(map(len, self._spelt), default=0) <= _PERSON
        self._named = {w: n for n, every in enumerate(own) for w in every if are_short or all(own)}

    def called(self, text: str) -> int | None:
        """Return the option of which ``text`` is the name, the number, or enough of the begin."""
        for whole in (text, _LEAD.sub("", text)):
            if (place := self._places.get("".join(spelling(whole)))) is not None:
                return place
        number = _NUMBER.fullmatch(text)
        if number and not self._is_lettered and 0 < int(number[1]) <= len(self.all):
            return int(number[1]) - 1
        said = spelling(_LEAD.sub("", text))
        begun = [
            place
            for place, option in enumerate(self._spelt)
            if len(said) >= max(2, min(_PREFIX, len(option) - 1))
            and " ".join(option).startswith(" ".join(said))
        ]
        return begun[0] if len(begun) == 1 else None

    def named(self, text: str) -> list[Stated[int]]:
        """Return the options that ``text`` names, in the order of the text."""
        spans = sorted(
            (mention.start, -mention.end, place)
            for place, option in enumerate(self.all)
            for mention in mentions(without_contractions(option.text), text)[:6]
            if mention.sure
        )
        outer = [  # Not within a longer option's text.
            (start, -end, place)
            for n, (start, end, place) in enumerate(spans)
            if all(end < other for _, other, _ in spans[:n])
        ]
        for match in islice(_NUMBERED.finditer(text), _MOST):
            numbers = (int(number) for number in match.groups() if number)
            outer += [(*match.span(), n - 1) for n in numbers if 0 < n <= len(self.all)]
        for match in islice(_LETTER.finditer(text), _MOST if self._is_lettered else 0):
            letter, (start, end) = match["letter"], match.span()
            before = _WORD_BEFORE.search(text[max(0, start - 20) : start])
            after = _WORD_AFTER.match(text, end)
            is_initial = before and before[1].casefold() not in words("choice.before_letter")
            is_article = letter == "A" and after and after[1] not in words("choice.after_letter")
            is_inner = any(s <= start and end <= e for s, e, _ in outer)
            if letter in self._letters and not (is_initial or is_article or is_inner):
                outer.append((start, end, self._letters[letter]))
        if not outer and self._is_lettered:
            said = (token for token in tokens(text) if token.word in self._named)
            outer = [(token.start, token.end, self._named[token.word]) for token in said]
        listed: list[tuple[int, int, int]] = []
        for start, end, place in sorted(outer):
            last = listed[-1] if listed else None
            between = _ARTICLE.sub("", text[last[1] : start]) if last else ""
            if last and place == last[2] and not re.search(r"\w", between):
                start = listed.pop()[0]  # Its letter and its text.
            listed.append((start, end, place))
        return [Stated(s, e, n, standing_asked(text, s, e, self._asked)) for s, e, n in listed]

    def nearest(self, text: str, golds: AbstractSet[int | None]) -> bool | None:
        """Say whether ``text`` tells a gold in other words; None if it may, or may another.

        Each word counts by how few of the options have it; an event that is denied is another.
        """
        contents = [_content(option.text) for option in self.all]
        holding = Counter(word for content in contents for word in {*content})
        weights = {word: log(len(self.all) / count) for word, count in holding.items()}
        spoken = _content(text)[:1000]
        said = {word for word in holding if _is_kin(word, spoken)}
        evidence = [
            sum(weights[word] for word in {*content} & said)
            * (self._is_lettered or _is_negative(option.text) == _is_negative(text))
            for content, option in zip(contents, self.all, strict=True)
        ]
        best = max(range(len(evidence)), key=lambda place: evidence[place])
        rest = max((e for place, e in enumerate(evidence) if place != best), default=0.0)
        if not evidence[best]:  # Who will not marry may be who refuses to.
            near = [len(said.intersection(content)) for content in contents]
            held = [near[g] for g in golds if g is not None and near[g] < len({*contents[g]})]
            return None if max(near) > 1 and max(near) in held else False
        own, apart = contents[best], 1 - rest / evidence[best]
        foreign = [word for word in said if not _is_kin(word, own)]
        share = evidence[best] / sum(weights[word] for word in {*own})
        precise = sum(_is_kin(word, own) for word in spoken) / max(len(spoken), 1)
        is_other = any(word.capitalize() in text for word in foreign)  # Another subject.
        first, last = (
            next((n for n, word in enumerate(spoken) if same_word(end, word)), -1)
            for end in (own[0], own[-1])
        )
        is_other |= -1 < last < first and " by " not in text  # The lawyer marries Dorothea.
        if self._is_lettered:
            is_sure = min(share, apart) > _APART
        else:
            is_sure = not is_other and min(share, precise, apart) >= _MAYBE
        if is_sure:
            return best in golds
        names = [t.word for t in tokens(text)[1:] if t.is_name and not is_function_word(t.word)]
        if not all(_is_kin(word, holding) for word in names):
            return False
        gold = max((e for place, e in enumerate(evidence) if place in golds), default=0.0)
        other = max((e for place, e in enumerate(evidence) if place not in golds), default=0.0)
        is_near = gold > other if self._is_lettered else gold and gold >= _LIKE * other
        return None if is_near else False


def _numbered_options(question: str) -> tuple[Option, ...]:
    """Return the options that stand one a line behind numbers that count up from 1, the last so."""
    block: list[Option] = []
    for number, text in _ITEM_LINE.findall(question):
        block = [] if number == "1" else block
        block += [Option(None, text.rstrip())] if int(number) == len(block) + 1 else []
    return tuple(block) if len(block) > 1 else ()


def _readable(text: str) -> str:
    """Return ``plain`` text, initials and letters of options apart, without contractions."""
    return plain(without_contractions(text), initials=False)


def _content(text: str) -> list[str]:
    said = (token.word for token in tokens(_readable(text)))
    return [word for word in said if len(word) > 1 and not is_function_word(word)]


def _is_negative(text: str) -> bool:
    return len(_NEGATION.findall(without_contractions(text))) % 2 == 1


def _is_kin(word: str, others: Iterable[str]) -> bool:
    return any(same_word(word, other) for other in others)
