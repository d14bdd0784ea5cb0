from hypothesis import given
from hypothesis import strategies as st

from mabench.text import estimate_each, estimate_tokens, truncate_tokens


def test_a_word_counts_about_a_token_and_an_ideograph_too() -> None:
    assert estimate_tokens("The cat sat on the mat.") == 7
    assert 12 <= estimate_tokens("今天我们去公园散步天气很好花儿开") <= 16
    assert estimate_tokens("") == 0


@given(st.text(), st.integers(min_value=0, max_value=40))
def test_truncation_keeps_a_start_within_the_limit(text: str, limit: int) -> None:
    start = truncate_tokens(text, limit)
    assert text.startswith(start)
    assert estimate_tokens(start) <= limit


def test_truncation_keeps_as_much_as_fits() -> None:
    assert truncate_tokens("one two three four", 3) == "one two three"
    assert truncate_tokens("one two three", 3) == "one two three"


@given(st.text(alphabet=st.one_of(st.sampled_from("aB19_., \n\t漢é\u2028'"), st.characters())))
def test_a_text_counts_what_its_pieces_weigh_one_after_the_other(text: str) -> None:
    # Truncation adds up piece by piece, counting does not.
    counted = estimate_tokens(text)
    assert truncate_tokens(text, counted + 1) == text
    if counted > 1:
        assert truncate_tokens(text, counted - 1) != text


_RUNS = st.lists(
    st.tuples(
        st.sampled_from([*"aB19_., \n\t\r\x1c\x07'", "word ", "é", "漢"]), st.integers(1, 300)
    ),
    max_size=12,
).map(lambda runs: "".join(text * count for text, count in runs))


@given(st.lists(_RUNS, max_size=30))
def test_many_texts_count_what_each_counts_alone(texts: list[str]) -> None:
    assert estimate_each(texts) == list(map(estimate_tokens, texts))


def test_many_long_plain_texts_count_what_each_counts_alone() -> None:
    # Every ASCII character beside every other, in texts long enough to be weighed at once.
    letters = [chr(code) for code in range(128)]
    texts = [f"{one}{other}{other} {one}1a" for one in letters for other in letters]
    assert estimate_each(texts) == list(map(estimate_tokens, texts))
