"""What an answer means that does not mention the gold: another value, or the gold rephrased."""

from __future__ import annotations

import re

from mabench.scoring.corrected.rule import Corrected, refuses, right, unclear, wrong
from mabench.scoring.lexicon import entries, words
from mabench.scoring.sameness.kin import may_be, same_word
from mabench.scoring.sameness.times import tells_time
from mabench.scoring.sameness.wordings import stems_of, wanted_tokens, words_of
from mabench.scoring.standing import sentences
from mabench.scoring.tokens import Token, plain, tokens
from mabench.text.stems import is_function_word, stem

_SHORT = 6  # Words of a line that is an answer by itself.
_FEW = 12  # Words of a text in which a word that is spelt like the gold is looked for.
_MUCH = 0.5  # Share of a gold's words from which on it may be what is meant.
_HEAD = re.compile(r"(?:\w+ ){0,2}?(\w+)(?=$| (?:at|of|in|on|from|for|with)\b)")
_OPEN = re.compile(r"\s*(?:why|how)\b(?! (?:long|many|much|old|often|far))", re.IGNORECASE)
_REASON = re.compile(r"(?:to|by|because|so that|in order to|[Tt]hat) [a-z]")


def unmentioned(text: str, gold: str, question: str | None, echoed: bool) -> Corrected:
    """Return what a text says that does not mention the gold."""
    if refuses(text):
        return wrong("refusal")
    told = tells_time(gold, text)
    if told == 1.0:
        return right("answer-asserted")
    wanted, asked = wanted_tokens(gold), stems_of(question or "")
    if told != 0.0 and not _is_other(wanted, words_of(text)):
        shares = (_share_said(wanted, text[slice(*bounds)], asked) for bounds in sentences(text))
        if told or max(shares) > _MUCH or _may_mean(wanted, gold, text, question or ""):
            return unclear("answer-partly-said")
    return wrong("question-echo" if echoed else "no-candidate")


def _is_other(wanted: tuple[Token, ...], said: frozenset[str]) -> bool:
    """Return whether a text lacks what makes another place of a name, or says another unit."""
    meant = {token.word for token in wanted}
    units = {e.partition(":")[0] for row in entries("quantities.sizes") for e in row.split()}
    told, due = ({u for u in units if {u, u + "s"} & some} for some in (said, meant))
    return bool(meant & words("names.other_place") - said or (told and due and not told & due))


def _share_said(wanted: tuple[Token, ...], text: str, asked: frozenset[str]) -> float:
    """Return what share of a gold a text says; none where another stands in its place."""
    telling = [token for token in wanted if token.word not in words("names.small")]
    said = tokens(text)
    hits = [[may_be(token, other) for token in telling] for other in said]
    left = [t for n, t in enumerate(telling) if not any(hit[n] for hit in hits)]
    if len(telling) == 1 and len(said) <= _FEW and not left:
        return float(not any(same_word(telling[0].word, other.word) for other in said))
    others = [
        n
        for n, (token, hit) in enumerate(zip(said, hits, strict=True))
        if not (any(hit) or is_function_word(token.word) or stem(token.word) in asked)
    ]
    beside = any(
        any(map(any, hits[max(0, n - 1) : n + 2])) and said[n].raw[0].isupper() for n in others
    )
    for token in left or telling[:1]:
        is_number = _is_number(token) and any(_is_number(said[n]) for n in others)
        if is_number or (token.raw[0].isupper() and beside):
            return 0.0
    return 1 - len(left) / max(len(telling), 1)


def _is_number(token: Token) -> bool:
    return token.raw[0].isdigit() or token.word in words("quantities.months")


def _may_mean(wanted: tuple[Token, ...], gold: str, text: str, question: str) -> bool:
    """Return whether a text may mean a gold that it does not say: a part of it, or a paraphrase."""
    said, meant = tokens(text), {token.word for token in wanted}
    spoken = {t.word for t in said if not is_function_word(t.word)}
    spoken -= words("names.small", "names.titles")
    if len(said) <= _SHORT and spoken < meant and any(len(word) > 2 for word in spoken):
        return True
    content = [token for token in wanted if not is_function_word(token.word)]
    if any(token.is_name and token.start for token in content) or re.search(r"\d", plain(gold)):
        return False
    if len(said) > 3 and (_OPEN.match(question) or _REASON.match(gold)):
        return True
    due = {stem(token.word) for token in content} - stems_of(question)
    head = _HEAD.match(" ".join(token.raw for token in wanted))
    if head and len(content) < 4 and stem(head[1].casefold()) in due:
        due = {stem(head[1].casefold())}  # A signed jersey is no signed basketball.
    return len(content) > 1 and bool(due & stems_of(text))
