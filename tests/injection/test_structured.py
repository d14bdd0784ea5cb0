from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from mabench.injection.chunkers import structured_chunks
from mabench.text import estimate_tokens


def _solid(text: str) -> str:
    return "".join(text.split())


@given(
    st.lists(st.text(alphabet=st.sampled_from("ab. \n\té今,")) | st.text()),
    st.integers(min_value=1, max_value=30),
)
def test_chunks_keep_every_character_that_is_not_white_space(units: list[str], size: int) -> None:
    chunks = structured_chunks(units, size)
    assert _solid("".join(chunks)) == _solid("".join(units))
    assert all(chunk.strip() for chunk in chunks)


@given(st.lists(st.text(alphabet="abc .\n", min_size=1)), st.integers(min_value=2, max_value=30))
def test_a_unit_within_the_budget_is_never_cut(units: list[str], size: int) -> None:
    chunks = structured_chunks(units, size)
    for unit in units:
        if estimate_tokens(unit) <= size:
            assert any(unit.strip("\r\n") in chunk for chunk in chunks) or not unit.strip()


def test_line_breaks_are_kept() -> None:
    assert structured_chunks(["one\n", "two\n\n", "three\n"], 100) == ["one\ntwo\n\nthree"]


def test_whole_units_are_packed_up_to_the_budget() -> None:
    facts = [f"{number}. Ann owns a cat.\n" for number in range(10)]
    chunks = structured_chunks(facts, 24)
    assert len(chunks) > 1
    assert all(chunk.endswith("cat.") and chunk[0].isdigit() for chunk in chunks)


def test_a_unit_over_the_budget_is_cut_at_sentence_ends() -> None:
    chunks = structured_chunks(["One two three. Four five six. Seven eight nine."], 5)
    assert [chunk.strip() for chunk in chunks] == [
        "One two three.",
        "Four five six.",
        "Seven eight nine.",
    ]


def test_a_sentence_over_the_budget_is_cut_between_words() -> None:
    chunks = structured_chunks(["alpha beta gamma delta"], 2)
    assert [chunk.split() for chunk in chunks] == [["alpha", "beta"], ["gamma", "delta"]]


def test_a_word_over_the_budget_is_cut_within() -> None:
    chunks = structured_chunks(["今" * 100], 10)
    assert "".join(chunks) == "今" * 100
    assert len(chunks) > 5
