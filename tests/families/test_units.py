from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mabench.families import FAMILIES

CONTEXTS = {
    "factconsolidation": [
        *("Here is a list of facts:\n", "0. Ann owns a cat.\n", "1. Bo Jr. owns a dog.\n")
    ],
    "ruler": ["Document 1:\nOne.\n\nMore of one.\n\n", "Document 2:\nTwo."],
    "icl": ["I lost my card\nlabel: 7\n\n", "A text\nin two lines\nlabel: 12"],
    "recsys": ["Dialogue 1:\nSystem: Hi\nUser: Hello\n\n", "Dialogue 2:\nUser: Hi"],
    "longmemeval": [
        "[",
        "'Chat Time: 2022/11/17 (Thu) 12:04', [{'role': 'user', 'content': \"It's ['late']\", "
        "'has_answer': True}], ",
        "'Chat Time: 2022/11/18 (Fri) 09:00', [{'role': 'user', "
        "'content': 'Chat Time: now', 'has_answer': False}]]",
    ],
    "eventqa": ["One. Two.\n\n", "Three.\n\n\n", "Four."],
    "infbench": ["One.\r\n\r\n", "Two."],
    "detective": ["One.\n \n", "Two."],
}


@pytest.mark.parametrize("family", CONTEXTS)
def test_units_are_what_may_not_be_cut(family: str) -> None:
    assert FAMILIES[family].units("".join(CONTEXTS[family])) == CONTEXTS[family]


def test_sessions_in_plain_text_begin_at_their_dates() -> None:
    context = "Chat Time: 2022/11/17 (Thu) 12:04\nuser: Hi\n\nChat Time: 2022/11/18\nuser: Yes"
    assert len(FAMILIES["longmemeval"].units(context)) == 2


@pytest.mark.parametrize("family", CONTEXTS)
@given(context=st.text(alphabet=st.sampled_from("a'\"[]{}\\\n\r .:1Dlabel")) | st.text())
def test_the_units_of_any_text_give_it_back(family: str, context: str) -> None:
    units = FAMILIES[family].units(context)
    assert "".join(units) == context
    assert all(units)
