"""Sentences, options, literals and invented names."""

import warnings

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mabench.text import Option, parse_options, read_literal, split_sentences
from mabench.text.names import NameInventor
from mabench_synthetic.generator import random_stream
from mabench_synthetic.world import build_world


def test_neither_abbreviations_nor_halves_of_characters_end_a_sentence() -> None:
    text = "Dr. Smith left at 5 p.m. sharp. Nobody saw him.\n"
    assert split_sentences(text) == ["Dr. Smith left at 5 p.m. sharp. ", "Nobody saw him.\n"]
    assert split_sentences("One \ud800. Two \udfff.") == ["One \ud800. ", "Two \udfff."]


@given(st.text(alphabet=st.sampled_from('ab.!?" \n\r\tÀ。\ud800')) | st.text(st.characters()))
def test_the_pieces_give_the_text_back(text: str) -> None:
    pieces = split_sentences(text)
    assert "".join(pieces) == text
    assert all(piece.strip() for piece in pieces[1:])


_LETTERED = (("A", "The cook"), ("B", "The maid"), ("C", "Dr. No"))
_BLOCKS = "Example:\nA. Yes\nB. No\nNow:\nA. Red\nB. Blue\nC. Green"


@pytest.mark.parametrize(
    ("question", "options"),
    [
        ("Next?\n\n['Ann left.', \"It's off.\"]\n", [(None, "Ann left."), (None, "It's off.")]),
        ("Who?\nA. The cook\n  B) The maid \n(C) Dr. No\n Output:", _LETTERED),
        (_BLOCKS, [("A", "Red"), ("B", "Blue"), ("C", "Green")]),  # The last block counts.
        ("Where was A. Milne born?", []),
        ("[1, 2, 3]", []),
        ("['alone']", []),
        ("[__import__('os').system('true'), 'b']", []),
        ("[" + "'a'," * 50_000 + "'b']", []),
    ],
)
def test_options_are_a_list_literal_or_lettered_lines(
    question: str, options: list[tuple[str | None, str]]
) -> None:
    assert parse_options(question) == tuple(Option(*one) for one in options)


@given(st.text())
def test_any_text_can_be_read(text: str) -> None:
    parse_options(text)
    parse_options(f"[{text}]")
    read_literal(text, 1000)


def test_a_literal_is_read_in_silence_and_a_text_over_the_limit_is_not() -> None:
    assert read_literal("['a', {'b': 1}]", 100) == ["a", {"b": 1}]
    assert read_literal("'abc'", 5) == "abc"
    for text in ("'abcdefgh'", "a b", "'open", "\0", "open()"):
        assert read_literal(text, 9) is None
    assert read_literal("[" * 5000, 10_000) is None
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert read_literal(r"'a\&b'", 100) == r"a\&b"


@given(st.integers(0, 10**6), st.integers(1, 10**6))
@settings(max_examples=20, deadline=None)
def test_no_name_stands_in_another_and_two_seeds_share_few(seed: int, step: int) -> None:
    made = (NameInventor(random_stream(one, "x")) for one in (seed, seed + step))
    words, others = ([names.word().lower() for _ in range(400)] for names in made)
    assert not [(a, b) for a in words[:150] for b in words[:150] if a is not b and a in b]
    assert len({*words} & {*others}) < 4


def test_streams_of_different_paths_differ_and_are_repeatable() -> None:
    assert random_stream(1, "a").random() == random_stream(1, "a").random()
    assert len({random_stream(s, p, i).random() for s in (0, 1) for p in "ab" for i in (0, 1)}) == 8


def test_a_world_is_whole_and_its_capitals_lie_at_home() -> None:
    world = build_world(random_stream(0, "world"), 40)
    for country in world.entities["country"]:
        assert world.state["country", world.state["capital", country]] == country
    assert all(subject != value for (_, subject), value in world.state.items())
