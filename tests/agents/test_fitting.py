"""Cutting passages that are too long for a model."""

from hypothesis import given
from hypothesis import strategies as st

from mabench.agents.fitting import cut_last
from mabench.text import estimate_tokens

_TEXTS = st.lists(st.text("ab 1.,", max_size=60), max_size=6)


def _size(texts: list[str]) -> int:
    return sum(map(estimate_tokens, texts))


@given(texts=_TEXTS, tokens=st.integers(0, 80))
def test_enough_is_cut_and_only_from_the_end(texts: list[str], tokens: int) -> None:
    kept = cut_last(texts, tokens)
    assert _size(kept) <= max(0, _size(texts) - tokens)
    assert kept[:-1] == texts[: max(0, len(kept) - 1)]
    assert all(texts[len(kept) - 1].startswith(last) for last in kept[-1:])
