"""What comes back of a request: a reply, or why there is none and what to do about it."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from mabench.models.spec import ModelRequest, Reply
from mabench.text import count_tokens

# No request and no reply is so long; beyond it a count is an error of the server.
_MOST_TOKENS = 10**8


class Failure(NamedTuple):
    """Why a request has no usable reply, and what to do about it.

    Attributes:
        reason: why, in words.
        again: whether sending it again may help.
        pushed_back: whether the server demands fewer requests.
        requested_wait: the seconds that the server asks us to wait.
        unavailable: whether the server refuses the key, the address or the model.
        silent: whether the server gave no answer: it was not reached, broke off or failed.
        unreached: whether there was no connection to it.
        adapted: whether a parameter was refused that the next request puts otherwise.
        paid: the tokens of a reply that is of no use, but is paid for; its text is empty.
    """

    reason: str
    again: bool = True
    pushed_back: bool = False
    requested_wait: float | None = None
    unavailable: bool = False
    silent: bool = False
    unreached: bool = False
    adapted: bool = False
    paid: Reply | None = None


class _WrongCountError(ValueError):
    """The server counts tokens as nobody can."""


def completed(
    request: ModelRequest,
    text: object,
    counts: tuple[object, object],
    cut: bool = False,
    cached: object = None,
) -> Reply | Failure:
    """Return the reply of a completion, or its failure; it was paid for either way.

    Args:
        request: what was asked.
        text: the text of the completion.
        counts: the tokens of request and reply as the server counts them; None where it does not.
        cut: whether the reply ended because its budget was used up.
        cached: how many tokens of the request the server says that it had kept, if it does.
    """
    shown = text if isinstance(text, str) else ""
    if None in counts:
        paid = _estimate(request, shown)
    else:
        try:
            paid = Reply("", _count(counts[0]), _count(counts[1]))
        except _WrongCountError as error:
            return Failure(str(error), again=False, paid=_estimate(request, shown))
        paid = replace(paid, cached_tokens=_kept(cached, paid.input_tokens))
    if text is not None and not isinstance(text, str):
        return Failure("the reply holds no text", paid=paid)
    if shown.strip():
        return replace(paid, text=shown)
    if cut:
        limit = f"the reply is empty: all {request.max_tokens} tokens went into reasoning"
        return Failure(limit, again=False, paid=paid)
    return Failure("the reply is empty", paid=paid)


def _estimate(request: ModelRequest, text: str) -> Reply:
    """Return about what a reply took whose server does not count."""
    return Reply("", count_tokens(request.text), count_tokens(text), estimated=True)


def _kept(tokens: object, input_tokens: int) -> int:
    """Return how many tokens the server had kept; none where it says nothing that can be."""
    try:
        return min(_count(tokens), input_tokens)
    except _WrongCountError:
        return 0


def _count(tokens: object) -> int:
    whole = isinstance(tokens, int | float) and not isinstance(tokens, bool)
    if not whole or not 0 <= tokens <= _MOST_TOKENS or tokens != int(tokens):  # type: ignore[operator,call-overload]
        raise _WrongCountError(f"the server counts {str(tokens)[:40]!r} tokens, which cannot be")
    return int(tokens)  # type: ignore[call-overload,no-any-return]
