"""What an answer means that does not mention the gold: a time, another value, or a paraphrase."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from mabench.scoring.corrected.rule import Corrected, refuses, right, unclear, wrong
from mabench.scoring.lexicon import words
from mabench.scoring.sameness.kin import may_be, same_word
from mabench.scoring.sameness.quantities import tells_time
from mabench.scoring.sameness.wordings import wanted_tokens
from mabench.scoring.tokens import Token, plain, tokens
from mabench.text.stems import content_words, is_function_word, stem

_MUCH = 0.5  # Share of a gold's words from which on it may be what is meant.
_OPEN = re.compile(r"\s*(?:why|how)\b(?! (?:long|many|much|old|often|far))", re.IGNORECASE)
_REASON = re.compile(r"(?:to|by|because|so that|in order to|[Tt]hat) [a-z]")


def unmentioned(text: str, gold: str, question: str | None) -> Corrected:
    """Return what a text says that does not mention the gold.

    It may mean it in other words if it says much of it, or more than the question and no other
    name or number in the place of one.
    """
    if refuses(text):
        return wrong("refusal")
    is_time = tells_time(plain(gold), text)
    if is_time is not None:
        return right("answer-asserted") if is_time else wrong("no-candidate")
    wanted, said = wanted_tokens(gold), tokens(text)
    share, left, spare = share_said(wanted, text, content_words(question or ""))
    is_said = any(same_word(wanted[0].word, token.word) for token in said for _ in wanted[:1])
    is_count = 1 < len(wanted) < 4 and wanted[0].raw[0].isdigit() and wanted[1].raw.isalpha()
    is_other = bool(left) and {t.word for t in left} <= words("names.other_place")
    if is_other or (is_said and (is_count or len(wanted) == 1)):
        return wrong("no-candidate")  # It is a part of something else: 13 of 15, 6 miles.
    is_named = any(t.is_name and (t.start or t.raw[0].isdigit()) for t in wanted)
    is_long = sum(not is_function_word(t.word) for t in wanted) > 1
    if share == 1 and is_long and not is_named:
        alike = [t for t in wanted if not any(same_word(t.word, other.word) for other in said)]
        is_sure = all(is_function_word(token.word) for token in alike)
        return right("answer-asserted") if is_sure else unclear("answer-alike")
    may_mean = share > _MUCH or (share and (is_named or spare))
    is_open = len(spare) > 1 and (_OPEN.match(question or "") or _REASON.match(gold))
    is_unsure = may_mean or (is_open and not is_named)
    return unclear("answer-partly-said") if is_unsure else wrong("no-candidate")


def share_said(
    wanted: Sequence[Token], text: str, known: Collection[str] = frozenset()
) -> tuple[float, Sequence[Token], Sequence[Token]]:
    """Return what share of words a text says, in whatever form; those unsaid; what else it says.

    It says none where another name or number stands in the place of one. The text is ``plain``;
    ``known`` are stems of words that tell nothing.
    """

    def tells(token: Token) -> bool:
        is_small = token.word in words("names.small", "names.titles")
        return not (is_function_word(token.word) or is_small or stem(token.word) in known)

    def is_number(token: Token) -> bool:
        return token.raw[0].isdigit() or token.word in words("quantities.months")

    said = [token for token in tokens(text) if token.raw != "I"]
    telling = [token for token in wanted if tells(token) or token.raw.isupper()] or wanted
    left = [token for token in telling if not any(may_be(token, other) for other in said)]
    spare = [t for t in said if tells(t) and not any(may_be(other, t) for other in telling)]
    is_phrase = any(token.raw[0].islower() for token in telling)  # "Homemade pickles"
    for token in left:
        is_other = is_number(token) and any(map(is_number, spare))
        is_name = token.raw[0].isupper() and not (is_phrase and token.start == 0)
        if is_other or (is_name and any(t.raw[0].isupper() for t in spare)):
            return 0.0, left, spare
    return 1 - len(left) / max(len(telling), 1), left, spare
