import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mabench.json_text import (
    DuplicateKeyError,
    from_json,
    has_surrogates,
    to_json,
    without_surrogates,
)

# Any text, lone surrogates included.
_TEXTS = st.text(st.characters(codec=None) | st.characters(categories=["Cs"]), max_size=9)
_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**17), 10**17) | _TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_TEXTS, inner, max_size=3),
    max_leaves=8,
)


@given(value=_VALUES)
def test_what_is_written_is_utf8_and_any_parser_reads_the_same(value: object) -> None:
    written = to_json(value)
    again = from_json(written.encode())
    assert again == json.loads(written)
    assert to_json(again) == written, "what was read is written as it stands there"
    assert again == json.loads(json.dumps(value))


@given(text=_TEXTS)
def test_readers_of_utf8_get_the_same_length_with_marks(text: str) -> None:
    shown = without_surrogates(text)
    assert len(shown.encode().decode()) == len(text)
    assert has_surrogates(text) == (shown != text)


@pytest.mark.parametrize("content", [b"\xff", "NaN", "[-Infinity]", "1e999", "9" * 19, "[" * 10**5])
def test_what_is_no_json_of_ours_is_refused(content: str | bytes) -> None:
    with pytest.raises(ValueError, match=r"codec|number|digits|deep"):
        from_json(content)


def test_a_key_that_stands_twice_and_bytes_of_earlier_versions_are_read() -> None:
    text = '[{"a": 1, "b": {"a": 2}}, {"b": 1, "c": 2, "b": 3}]'
    assert from_json(text)
    with pytest.raises(DuplicateKeyError) as refused:
        from_json(text, distinct_keys=True)
    assert refused.value.key == "b"
    assert from_json('"a\ud83d"'.encode("utf-8", "surrogatepass")) == "a\ud83d"
