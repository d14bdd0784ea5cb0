"""What an answer means that does not mention the gold: a time, another value, or a paraphrase."""

from __future__ import annotations

import re

from mabench.scoring.corrected.rule import Corrected, refuses, right, unclear, wrong
from mabench.scoring.lexicon import entries, words
from mabench.scoring.sameness.kin import may_be, same_word
from mabench.scoring.sameness.quantities import tells_time
from mabench.scoring.sameness.wordings import stems_of, wanted_tokens, words_of
from mabench.scoring.standing import sentences
from mabench.scoring.tokens import Token, plain, tokens
from mabench.text.stems import is_function_word, stem

_SHORT = 6  # Words of a line that is an answer by itself.
_FEW = 12  # Words of a text in which a word that is spelt like the gold is looked for.
_MUCH = 0.5  # Share of a gold's words from which on it may be what is meant.
_STEM = 4  # Letters that two words of one family have in common.
_HEAD = re.compile(r"(?:\w+ ){0,2}?(\w+)(?=$| (?:at|in|on|from|for|with)\b)")
_RELATIVE = re.compile(
    r"\b(?:before|after|prior to|week|weekend|between|from)\b.*\d", re.IGNORECASE
)
_RULER = re.compile(r"(?:\w+ )?(?P<name>[A-Z]\w+) (?:(?P<number>[IVX]+)\b|(?:the|of) [A-Z]\w+$)")
_REGNAL = re.compile(r"\b(?P<name>[A-Z]\w+)\b(?: (?P<number>[IVX]+)\b)?")
_OPEN = re.compile(r"\s*(?:why|how)\b(?! (?:long|many|much|old|often|far))", re.IGNORECASE)
_REASON = re.compile(r"(?:to|by|because|so that|in order to|[Tt]hat) [a-z]")


def unmentioned(text: str, gold: str, question: str | None, echoed: bool) -> Corrected:
    """Return what a text says that does not mention the gold."""
    if refuses(text):
        return wrong("refusal")
    told = tells_time(plain(gold), text)
    wanted, said, asked = wanted_tokens(gold), tokens(text), stems_of(question or "")
    known = stems_of(gold) | asked
    is_own = all(is_function_word(t.word) or stem(t.word) in known for t in said)
    if told == 1.0:
        return right("answer-asserted")
    if told != 0.0 and not _is_other(wanted, words_of(text)):
        share = max(_share_said(wanted, text[slice(*bounds)], asked) for bounds in sentences(text))
        if share == 1 and is_own and not any(token.is_name for token in wanted[1:]):
            return right("answer-asserted")  # The words of a phrase in another order.
        # Which day "the week before 3 May" is, none can tell.
        is_relative = _RELATIVE.search(gold) and re.search(r"\d", text)
        if share > _MUCH or told or is_relative or _may_mean(wanted, said, gold, text, question):
            return unclear("answer-partly-said")
    return wrong("question-echo" if echoed else "no-candidate")


def _is_other(wanted: tuple[Token, ...], said: frozenset[str]) -> bool:
    """Return whether a text lacks what makes another place of a name, or says another unit."""
    meant = {token.word for token in wanted}
    units = {e.partition(":")[0] for row in entries("quantities.sizes") for e in row.split()}
    told, due = ({u for u in units if u and {u, u + "s"} & some} for some in (said, meant))
    return bool(meant & words("names.other_place") - said or (told and due and not told & due))


def _share_said(wanted: tuple[Token, ...], text: str, asked: frozenset[str]) -> float:
    """Return what share of a gold a text says; none where another stands in its place."""
    telling = [token for token in wanted if token.word not in words("names.small")]
    kinds = words("names.kinds", "names.things")
    kept = [t for t in telling if t.word not in kinds or not t.is_name] or telling
    said = tokens(text)
    left = [token for token in kept if not any(may_be(token, other) for other in said)]
    if len(telling) == 1 and len(said) <= _FEW and not left:
        return float(not any(same_word(telling[0].word, other.word) for other in said))
    hits = [any(may_be(token, other) for token in kept) for other in said]
    others = [
        n
        for n, (token, hit) in enumerate(zip(said, hits, strict=True))
        if not (hit or is_function_word(token.word) or stem(token.word) in asked)
    ]
    beside = [n for n in others if any(hits[max(0, n - 1) : n + 2]) and said[n].raw[0].isupper()]
    for token in left or kept[:1]:
        is_number = _is_number(token) and any(_is_number(said[n]) for n in others)
        if is_number or (token.raw[0].isupper() and beside):
            return 0.0
    return 1 - len(left) / max(len(kept), 1)


def _is_number(token: Token) -> bool:
    return token.raw[0].isdigit() or token.word in words("quantities.months")


def _may_mean(
    wanted: tuple[Token, ...], said: tuple[Token, ...], gold: str, text: str, question: str | None
) -> bool:
    """Return whether a text may mean a gold that it does not say: a part of it, or a paraphrase."""
    meant = {token.word for token in wanted}
    spoken = {t.word for t in said if not is_function_word(t.word) or t.word == "i"}
    spoken -= words("names.small", "names.titles")
    is_word = len(meant) == 1 and meant.isdisjoint(spoken)
    if is_word and any(_is_kin(wanted[0], word) for word in spoken):
        return True  # Norway, for Norwegian.
    if (
        len(said) <= _SHORT
        and spoken < meant
        and any(len(word) > 1 + word.isdigit() for word in spoken)
    ):
        return True
    ruler = _RULER.match(plain(gold))
    if ruler and ruler["name"].casefold() not in words("names.kinds", "names.things"):
        for other in _REGNAL.finditer(text):
            if other["name"] == ruler["name"]:
                return not (ruler["number"] and other["number"])
    content = [token for token in wanted if not is_function_word(token.word)]
    if any(token.is_name and token.start for token in content) or re.search(r"\d", plain(gold)):
        return False
    is_sentence = len(said) > 3
    if is_sentence and (_OPEN.match(question or "") or _REASON.match(gold)):
        return True
    due = {stem(token.word) for token in content} - stems_of(question or "")
    head = _HEAD.match(" ".join(token.raw for token in wanted))
    if head and len(content) < 4 and stem(head[1].casefold()) in due:
        due = {stem(head[1].casefold())}  # A signed jersey is no signed basketball.
    return len(content) > 1 and bool(due & stems_of(text))


def _is_kin(wanted: Token, said: str) -> bool:
    """Return whether a word is of one family with another, or holds it: violoncello, cello."""
    if same_word(said, wanted.word) or not (wanted.raw.islower() and said.isalpha()):
        return same_word(said, wanted.word) and not same_word(wanted.word, said)
    short, long = sorted((wanted.word, said), key=len)
    return len(short) > _STEM and (long.endswith(short) or long.startswith(short[:-2]))
