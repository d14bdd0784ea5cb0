"""What a server says of a prompt that is longer than its model's context."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mabench.models.server.long_prompts import read_excess

_KIND = "exceed_context_size_error"


def body(**error: Any) -> bytes:
    return json.dumps({"error": {"type": _KIND, "n_prompt_tokens": 9, "n_ctx": 5} | error}).encode()


def test_the_counts_of_llama_cpp_are_read() -> None:
    assert read_excess(body()) == (9, 5)


@pytest.mark.parametrize(
    "error",
    [{"type": "other"}, {"n_ctx": "5"}, {"n_ctx": 0}, {"n_prompt_tokens": 3}, {"n_ctx": True}],
)
def test_counts_that_cannot_be_are_none(error: dict[str, Any]) -> None:
    assert read_excess(body(**error)) is None


_JSON = st.recursive(st.none() | st.integers() | st.text(), lambda one: st.lists(one))


@given(st.binary() | st.builds(lambda one: json.dumps({"error": one}).encode(), _JSON))
def test_nothing_that_a_server_says_raises(content: bytes) -> None:
    assert read_excess(content) is None
