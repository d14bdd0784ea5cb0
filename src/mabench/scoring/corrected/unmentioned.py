"""What an answer means that does not mention the gold: another value, or the gold rephrased."""

from __future__ import annotations

import re

from mabench.scoring.corrected.rule import Corrected, refuses, right, unclear, wrong
from mabench.scoring.lexicon import entries, words
from mabench.scoring.sameness.kin import may_be, same_word
from mabench.scoring.sameness.times import tells_time
from mabench.scoring.sameness.wordings import stems_of, wanted_tokens
from mabench.scoring.standing import sentences
from mabench.scoring.tokens import Token, plain, tokens
from mabench.text.stems import is_function_word, stem

_SHORT = 6  # Words of a line that is an answer by itself.
_FEW = 12  # Words of a text in which a word that is spelt like the gold is looked for.
_HEAD = re.compile(r"(?:\w+ ){0,2}?(\w+)(?=$| (?:at|of|in|on|from|for|with)\b)")
_MUCH = 0.5  # Share of a gold's words from which on it may be what is meant.
_RELATIVE = re.compile(
    r"\b(?:before|after|prior to|week|weekend|between|from)\b.*\d", re.IGNORECASE
)
_RULER = re.compile(r"(?:\w+ )?(?P<name>[A-Z]\w+) (?:(?P<number>[IVX]+)\b|(?:the|of) [A-Z]\w+$)")
_REGNAL = re.compile(r"\b(?P<name>[A-Z]\w+)\b(?: (?P<number>[IVX]+)\b)?")


def unmentioned(text: str, gold: str, question: str | None, echoed: bool) -> Corrected:
    """Return what a text says that does not mention the gold."""
    if refuses(text):
        return wrong("refusal")
    is_told = tells_time(gold, text)
    if is_told in (0.0, 1.0):
        return right("answer-asserted") if is_told else wrong("no-candidate")
    wanted = {token.word for token in wanted_tokens(gold)}
    spoken = {token.word for token in tokens(text)}
    if wanted & words("names.other_place") - spoken:
        return wrong("no-candidate")
    units = frozenset(
        e.partition(":")[0] for row in entries("quantities.sizes") for e in row.split()
    )
    said, meant = ({u for u in units if u and {u, u + "s"} & w} for w in (spoken, wanted))
    if said and meant and not said & meant:
        return wrong("no-candidate")
    share = max(_share_said(gold, text[start:end], question) for start, end in sentences(text))
    # Which day that is, none can tell.
    is_relative = _RELATIVE.search(gold) and re.search(r"\d", text)
    is_short = len(tokens(text)) <= _SHORT
    if share == 1 and _is_reordered(text, gold, question or ""):
        return right("answer-asserted")
    if (
        share > _MUCH
        or is_told
        or is_relative
        or (is_short and _is_within(text, gold))
        or _is_like(text, gold, question or "")
    ):
        return unclear("answer-partly-said")
    return wrong("question-echo" if echoed else "no-candidate")


def _share_said(gold: str, text: str, question: str | None) -> float:
    """Return what share of a gold a text says; none where another stands in its place."""
    asked = stems_of(question or "")
    wanted = [t for t in wanted_tokens(gold) if t.word not in words("names.small")]
    is_word = len(wanted) == 1
    kinds = words("names.kinds", "names.things")
    wanted = [t for t in wanted if t.word not in kinds or not t.is_name] or wanted
    said = tokens(text)
    left = [token for token in wanted if not any(may_be(token, other) for other in said)]
    if is_word and len(said) <= _FEW and not left:
        return float(not any(same_word(wanted[0].word, other.word) for other in said))
    hits = [any(same_word(token.word, other.word) for token in wanted) for other in said]
    others = [
        n
        for n, (t, hit) in enumerate(zip(said, hits, strict=True))
        if not (hit or is_function_word(t.word) or stem(t.word) in asked)
        if not any(may_be(token, t) for token in wanted)
    ]
    beside = [n for n in others if any(hits[max(0, n - 1) : n + 2]) and said[n].raw[0].isupper()]
    for token in left or wanted[:1]:
        if _is_number(token) and any(_is_number(said[n]) for n in others):
            return 0.0
        if token.raw[0].isupper() and beside:
            return 0.0
    return 1 - len(left) / max(len(wanted), 1)


def _is_number(token: Token) -> bool:
    return token.raw[0].isdigit() or token.word in words("quantities.months")


def _is_reordered(text: str, gold: str, question: str) -> bool:
    """Return whether a text says a phrase's words in another order, and nothing else."""
    wanted = wanted_tokens(gold)
    known = stems_of(gold) | stems_of(question)
    others = [t for t in tokens(text) if not is_function_word(t.word) and stem(t.word) not in known]
    return not others and not any(t.is_name for t in wanted[1:])


def _is_like(text: str, gold: str, question: str) -> bool:
    """Return whether a text may mean a gold: another epithet of a ruler, or a phrase rephrased."""
    ruler = _RULER.match(plain(gold))
    if ruler and ruler["name"].casefold() not in words("names.kinds", "names.things"):
        for other in _REGNAL.finditer(text):
            if other["name"] == ruler["name"]:
                return not (ruler["number"] and other["number"])
    wanted = [token for token in wanted_tokens(gold) if not is_function_word(token.word)]
    if any(token.is_name and token.start for token in wanted) or re.search(r"\d", plain(gold)):
        return False
    told = {stem(t.word) for t in wanted} - stems_of(question)
    if len(wanted) < 2 or not told:
        return False
    head = _HEAD.match(" ".join(token.raw for token in wanted_tokens(gold)))
    if head and len(wanted) < 4 and stem(head[1].casefold()) in told:
        told = {stem(head[1].casefold())}  # A signed jersey is no signed basketball.
    is_open = re.match(
        r"(?:why|how)\b(?! (?:long|many|much|old|often|far))", question.strip(), re.I
    )
    return bool(told & stems_of(text)) or (is_open is not None and len(tokens(text)) > 3)


def _is_within(text: str, gold: str) -> bool:
    """Return whether a short answer says nothing but a part of the gold's words."""
    wanted = {token.word for token in wanted_tokens(gold)}
    said = {
        token.word
        for token in tokens(text)
        if not is_function_word(token.word) or token.word == "i"
    }
    said -= words("names.small", "names.titles")
    kin = [word for word in said if len(wanted) == 1 and same_word(word, *wanted)]
    if any(not same_word(*wanted, word) for word in kin):
        return True  # Norway, for Norwegian.
    return bool(said) and said < wanted and any(len(word) > 2 for word in said)
