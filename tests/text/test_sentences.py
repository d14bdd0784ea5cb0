from hypothesis import given
from hypothesis import strategies as st

from mabench.text import sentences


def test_abbreviations_end_no_sentence() -> None:
    text = "Dr. Smith left at 5 p.m. sharp. Nobody saw him.\n"
    assert sentences(text) == ["Dr. Smith left at 5 p.m. sharp. ", "Nobody saw him.\n"]


def test_half_a_character_is_no_hindrance() -> None:
    assert sentences("One \ud800. Two \udfff.") == ["One \ud800. ", "Two \udfff."]


@given(st.text(alphabet=st.sampled_from('ab.!?" \n\r\tÀ。\ud800')) | st.text(st.characters()))
def test_the_pieces_give_the_text_back(text: str) -> None:
    pieces = sentences(text)
    assert "".join(pieces) == text
    assert all(piece.strip() for piece in pieces[1:])
