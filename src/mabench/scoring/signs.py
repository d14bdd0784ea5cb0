"""A text as a line of signs: its values, and the words that bear on which of them holds.

``Fact 3 says Rome and fact 9 Paris, of which the latter is newer.`` is ``#A&#C,yc=w.``: the gold is
``A``, what the question offers beside it ``B``, and other values of its kind are ``C`` to ``H``; a
small letter refers to a value, by its number or as the latter. ``Q`` and ``R`` are words by which
the question asks, ``q`` is another of its words, ``p`` a name in it, ``_`` any other content word.
Function words have none. The other signs are those of ``signs.toml``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache
from itertools import islice
from typing import NamedTuple

from mabench.scoring.lexicon import entries, pattern, sections, words
from mabench.scoring.sameness.kin import root, word_forms
from mabench.scoring.sameness.wordings import is_place
from mabench.scoring.tokens import Token, plain, tokens
from mabench.text.stems import is_function_word, stem

LETTERS = "ABCDEFGH"
MOST = 400  # Signs that are read.
_FEW = 3  # Words in small letters that are a value, and no clause.
_YEAR = len("1999")
_STRUCTURE = frozenset("/&=#yrt~")  # Words that are signs even where the question has them.
# A full stop that ends no sentence: of an abbreviation, or of an initial after a name's part; and
# one that ends none before a small letter.
_ABBREVIATED = pattern(
    r"(?:\b(?-i:%s)|^\s*\d{1,2}|(?-i:[A-Z][\w.]{0,40}\s|^|\.)(?-i:[A-Z]))\Z", "reading.abbreviated"
)
_SHORT = pattern(r"\b(?:%s)\Z", "reading.short")

Known = tuple[int, int, str]  # Where a text names a value, and the letter of it.


class Sign(NamedTuple):
    """A sign, where it is, and what a citation cites or the root of a word."""

    sign: str
    start: int
    end: int
    said: str = ""
    value: str = ""  # The letter of the value for which something is cited.


def read(text: str, known: Sequence[Known], question: str, gold: str | None) -> list[Sign]:
    """Return the signs of ``plain`` text.

    ``known`` is where it names a value that is looked for, and the letter of each. Words of the
    question are no values; others of the kind of ``gold``, which is what ``A`` is, are, if given.
    """
    signs = [Sign(letter, start, end) for start, end, letter in known]
    asked = frozenset(root(token.word) for token in tokens(plain(question)))
    compared = pattern(r"\b(?:(%s)|(%s))\b", "reading.less", "reading.more")
    if "B" in {sign.sign for sign in signs} and (asks := compared.search(question)):
        found = list(compared.finditer(_masked(text, signs)))
        signs += [Sign("><"[match.lastindex != asks.lastindex], *match.span()) for match in found]
    kind = "" if gold is None else _kind(plain(gold).strip())
    signs += islice(_marks(text, _masked(text, signs), asked, kind), MOST)
    closed = asked | {root(token.word) for token in tokens(plain(gold or ""))}
    signs += _words(text, signs, focus(question), closed, kind)
    return _with_references(sorted((s for s in signs if s.sign), key=lambda s: s.start)[:MOST])


def _masked(text: str, signs: Sequence[Sign]) -> str:
    for sign in signs:
        text = text[: sign.start] + "\0" * (sign.end - sign.start) + text[sign.end :]
    return text


def _marks(text: str, masked: str, asked: frozenset[str], kind: str) -> Iterator[Sign]:
    """Yield the signs of punctuation, and of words that bear on which value holds."""
    finder, groups = _finder()
    found = [(*groups[(m.lastindex or 1) - 1], m) for m in finder.finditer(masked)]
    numbers = {m.start(): re.sub(r"\D", "", m[0]) for group, _, m in found if group == "number"}
    cited = {n for *_, m in found if (n := numbers.get(m.start())) and _is_cited(text, m, n, kind)}
    for group, sign, match in found:
        said, lead = match[0].casefold(), masked[max(0, match.start() - 20) : match.start()]
        roots = {root(word) for word in re.findall(r"\w+", said) if not is_function_word(word)}
        roots = roots or {root(word) for word in re.findall(r"\w+", said)}
        if group == "number":
            is_sign = numbers[match.start()] in cited and not roots & asked
        elif group == "mark":
            own = text[max(0, match.start() - 9) : match.start()]
            is_short = _SHORT.search(own) and re.match(r"\. [a-z]", text[match.start() :])
            is_sign = sign != "." or not (is_short or _ABBREVIATED.search(lead))
        else:
            is_name = match[0].istitle() and re.search(r"[\w,] $", lead)
            is_sign = sign in _STRUCTURE or not (roots <= asked or is_name)
        if is_sign:
            yield Sign(sign, *match.span(), numbers.get(match.start(), said * (sign == "#")))


@cache
def _finder() -> tuple[re.Pattern[str], list[tuple[str, str]]]:
    """Return what finds signs, and of each of its groups the kind and the sign."""
    said = [("word", key, "|".join(words)) for key, words in sections()["signs"].items()]
    other = [("number", "#", "|".join(entries("reading.number")))]
    other += [("mark", key, mark) for key, mark in sections()["marks"].items()]
    first, last = ("|".join(f"({part})" for *_, part in parts) for parts in (said, other))
    finder = re.compile(rf"(?<![\w'-])(?=\w)(?:{first})(?![\w'])|{last}", re.IGNORECASE)
    return finder, [(kind, sign) for kind, sign, _ in said + other]


@lru_cache(maxsize=512)
def focus(question: str) -> Mapping[str, str]:
    """Return the sign of each word of a question, by its root.

    It asks by its first word, and by its last where that is no name: ``In which city was … born?``
    """
    said = [t for t in tokens(plain(question)) if not is_function_word(t.word)]
    said = [token for token in said if token.word not in words("reading.unasked")]
    common = [token for token in said if token.raw[0].islower()]
    signs = {_root(token.word): "p" for token in said}
    signs |= {_root(token.word): "q" for token in common}
    signs |= {_root(token.word): "R" for token in common[-1:] if token == said[-1]}
    is_last = re.match(r"\W*(?:where|when|why)\b", question, re.IGNORECASE)
    return signs | {_root(token.word): "Q" for token in (common[-1:] if is_last else common[:1])}


def _root(word: str) -> str:
    """Return what is common to the forms of a word, of whatever kind."""
    forms = word_forms("irregular")
    return root(min(forms.get(word) or forms.get(stem(word), {word})))


def _kind(gold: str) -> str:
    """Return the word of a gold that tells its kind: its month, its year, a name or its first."""
    said = tokens(gold)
    years = [token.word for token in said if token.word in words("quantities.months")]
    years += [t.raw for t in said if t.raw.isdigit() and len(t.raw) == _YEAR]
    names = [*years, *(t.raw for t in said if t.raw[0].isupper())]
    return next(iter(names), said[0].raw if len(said) <= _FEW else "")


def _is_cited(text: str, match: re.Match[str], number: str, kind: str) -> bool:
    """Return whether a number is cited: behind a word or sign, in brackets, in a table."""
    before = text[max(0, match.start() - 9) : match.start()].rstrip(" ")
    after = text[match.end() : match.end() + 9].lstrip(" ")
    if kind.isdigit() and len(number) == len(kind):
        return False
    is_marked = re.search(r"(?:[<>#(\[]|\b(?:at|per))$", before) or after[:1] in {*"(<>"}
    return match[0] != number or bool(is_marked)


def _words(
    text: str, signs: Sequence[Sign], asked: Mapping[str, str], closed: frozenset[str], kind: str
) -> Iterator[Sign]:
    """Yield the signs of words: of other values of a kind, of the question, of any other."""
    masked, runs, months = _masked(text, signs), list[list[Token]](), words("quantities.months")
    for token in tokens(text):
        if "\0" in masked[token.start : token.end]:
            continue
        is_open = not (is_function_word(token.word) or token.word in words("reading.noise"))
        is_new = kind in months or (is_open and root(token.word) not in closed)
        if kind and is_new and _is_alike(masked, token, kind):
            if runs and re.fullmatch("[ '\"-]*", masked[runs[-1][-1].end : token.start]):
                runs[-1].append(token)
            else:
                runs.append([token])
        elif sign := asked.get(_root(token.word)) or "_" * (is_open and token.raw[0].isalpha()):
            yield Sign(sign, token.start, token.end, _root(token.word))
    letters: dict[str, str] = {}
    for run in runs:
        said = " ".join(token.word for token in run)
        start, end = run[0].start, run[-1].end
        is_city = not is_place(said) and text[end : end + 2] == ", "
        is_city &= (end + 2, "A") in {(s.start, s.sign) for s in signs}
        is_part = len(run) == 1 and len(run[0].raw) < _YEAR
        is_part |= closed.issuperset(root(token.word) for token in run)
        if kind in months and is_part:
            continue
        if is_city if is_place(kind) else is_place(said) and text[:start].endswith(", "):
            continue  # Lyon, France is both.
        letter = letters.setdefault(said, LETTERS[min(2 + len(letters), len(LETTERS) - 1)])
        yield Sign(letter, start, end, said)


def _is_alike(text: str, token: Token, kind: str) -> bool:
    """Return whether a word is of the kind of a gold."""
    if kind in words("quantities.months"):
        return token.raw.isdigit() or token.word in words("quantities.months")
    if kind[0].isdigit():
        return token.raw[0].isdigit() and (len(token.raw) == _YEAR) == (len(kind) == _YEAR)
    lead = text[max(0, token.start - 40) : token.start].rstrip(" \"'(")[-1:]
    is_first = lead in {"", *".!?|*-\n"}
    if kind[0].islower():
        is_small = token.raw.islower() or (is_first and token.raw.istitle())
        return is_small and not token.word.endswith(("ly", "ed"))
    is_name = not token.word.endswith(("ly", "ed", "ing")) or is_place(token.word)
    is_name |= not (is_first or lead == "\0") or text[token.end :][1:2].isupper()
    return token.raw[0].isupper() and is_name


def _with_references(signs: list[Sign]) -> list[Sign]:
    """Return signs with small letters for what refers to a value, by its number or its place."""
    cited, start = dict[str, str](), 0
    for end in (n for n, sign in enumerate([*signs, Sign(".", 0, 0)]) if sign.sign in {*".;?"}):
        cites = [n for n in range(start, end) if signs[n].sign == "#"]
        values = [n for n in range(start, end) if signs[n].sign in LETTERS]
        for n in cites:
            near = [v for v in values if not any(min(n, v) < c < max(n, v) for c in cites)]
            if near and signs[n].said not in cited:
                value = signs[min(near, key=lambda v: abs(v - n))].sign
                cited[signs[n].said], signs[n] = value, signs[n]._replace(value=value)
        start = end + 1
    resolved, seen = list[Sign](), list[str]()
    for sign in signs:
        letter = sign.sign
        if letter in LETTERS:
            seen = [*(s for s in seen if s != letter), letter]
        elif letter == "#" and not sign.value:
            letter = cited.get(sign.said, letter).lower()
        elif letter in "12":  # The former, the latter.
            letter = seen[-2:][letter == "2"].lower() if len(seen) > 1 else "_"
        resolved.append(sign._replace(sign=letter))
    return resolved
