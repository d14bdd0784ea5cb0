"""What an answer means that does not mention the gold: a time, another value, or a paraphrase."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from mabench.scoring.corrected.rule import Corrected, refuses, right, unclear, wrong
from mabench.scoring.lexicon import words
from mabench.scoring.sameness.kin import may_be, same_word
from mabench.scoring.sameness.quantities import tells_time
from mabench.scoring.sameness.wordings import stems_of, wanted_tokens, words_of
from mabench.scoring.tokens import Token, plain, tokens
from mabench.text.stems import is_function_word, stem

_SHORT = 6  # Words of a line that is an answer by itself.
_MUCH = 0.5  # Share of a gold's words from which on it may be what is meant.
_OPEN = re.compile(r"\s*(?:why|how)\b(?! (?:long|many|much|old|often|far))", re.IGNORECASE)
_REASON = re.compile(r"(?:to|by|because|so that|in order to|[Tt]hat) [a-z]")


def unmentioned(text: str, gold: str, question: str | None) -> Corrected:
    """Return what a text says that does not mention the gold.

    It may mean it if it says much of it, or a part of it and nothing else; if nothing is named in
    the gold, also if it says a word of it, or if both tell why.
    """
    if refuses(text):
        return wrong("refusal")
    told = tells_time(plain(gold), text)
    if told == 1.0:
        return right("answer-asserted")
    wanted, said, asked = wanted_tokens(gold), tokens(text), stems_of(question or "")
    meant = {token.word for token in wanted}
    # It is said as a part of something else, or what makes another place of it is not said.
    is_other = len(wanted) == 1 and any(same_word(wanted[0].word, t.word) for t in said)
    if is_other or told == 0.0 or meant & words("names.other_place") - words_of(text):
        return wrong("no-candidate")
    spoken = {token.word for token in said if not is_function_word(token.word)}
    spoken -= words("names.small", "names.titles")
    is_part = spoken < meant and any(len(word) > 1 + word.isdigit() for word in spoken)
    may_mean = bool(told) or (is_part and len(said) <= _SHORT)
    may_mean |= share_said(wanted, text, asked) > _MUCH
    content = [token for token in wanted if not is_function_word(token.word)]
    is_named = any(token.is_name and token.start for token in content)
    if not (is_named or re.search(r"\d", plain(gold))):
        is_reason = len(said) > 3 and (_OPEN.match(question or "") or _REASON.match(gold))
        shared = {stem(token.word) for token in content} & stems_of(text) - asked
        may_mean |= bool(is_reason or (len(content) > 1 and shared))
    return unclear("answer-partly-said") if may_mean else wrong("no-candidate")


def share_said(wanted: Sequence[Token], text: str, known: Collection[str] = frozenset()) -> float:
    """Return what share of some words a text says, in whatever form.

    It says none where another name or number stands in the place of one.

    Args:
        wanted: the words.
        text: ``plain`` text.
        known: stems of words that stand in no other's place.
    """
    said = tokens(text)
    small = words("names.small")
    telling = [token for token in wanted if token.word not in small or token.raw.isupper()]
    left = [token for token in telling if not any(may_be(token, other) for other in said)]
    others = [
        token
        for token in said
        if not (is_function_word(token.word) or stem(token.word) in known)
        and not any(may_be(other, token) for other in telling)
    ]
    for token in left:
        is_number = _is_number(token) and any(map(_is_number, others))
        if is_number or (token.raw[0].isupper() and any(t.raw[0].isupper() for t in others)):
            return 0.0
    return 1 - len(left) / max(len(telling), 1)


def _is_number(token: Token) -> bool:
    return token.raw[0].isdigit() or token.word in words("quantities.months")
