from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from mabench.text import sentences


def test_abbreviations_end_no_sentence() -> None:
    text = "Dr. Smith left at 5 p.m. sharp. Nobody saw him.\n"
    assert sentences(text) == ["Dr. Smith left at 5 p.m. sharp. ", "Nobody saw him.\n"]


@given(st.text(alphabet=st.sampled_from('ab.!?" \n\r\tÀ。')) | st.text())
def test_the_pieces_give_the_text_back(text: str) -> None:
    pieces = sentences(text)
    assert "".join(pieces) == text
    assert all(piece.strip() for piece in pieces[1:])
