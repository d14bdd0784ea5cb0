from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mabench.families import FAMILIES

CONTEXTS = {
    "factconsolidation": (
        "Here is a list of facts:\n0. Ann owns a cat.\n1. Bo Jr. owns a dog.\n",
        ["Here is a list of facts:\n", "0. Ann owns a cat.\n", "1. Bo Jr. owns a dog.\n"],
    ),
    "ruler": (
        "Document 1:\nOne.\n\nMore of one.\n\nDocument 2:\nTwo.",
        ["Document 1:\nOne.\n\nMore of one.\n\n", "Document 2:\nTwo."],
    ),
    "icl": (
        "I lost my card\nlabel: 7\n\nA text\nin two lines\nlabel: 12",
        ["I lost my card\nlabel: 7\n\n", "A text\nin two lines\nlabel: 12"],
    ),
    "recsys": (
        "Dialogue 1:\nSystem: Hi\nUser: Hello\n\nDialogue 2:\nUser: Hi",
        ["Dialogue 1:\nSystem: Hi\nUser: Hello\n\n", "Dialogue 2:\nUser: Hi"],
    ),
    "longmemeval": (
        "['Chat Time: 2022/11/17 (Thu) 12:04', [{'role': 'user', 'content': \"It's ['late']\", "
        "'has_answer': True}], 'Chat Time: 2022/11/18 (Fri) 09:00', [{'role': 'user', "
        "'content': 'Chat Time: now', 'has_answer': False}]]",
        None,
    ),
    "eventqa": ("One. Two.\n\nThree.\n\n\nFour.", ["One. Two.\n\n", "Three.\n\n\n", "Four."]),
    "infbench": ("One.\r\n\r\nTwo.", ["One.\r\n\r\n", "Two."]),
    "detective": ("One.\n \nTwo.", ["One.\n \n", "Two."]),
}


@pytest.mark.parametrize("family", [name for name in CONTEXTS if name != "longmemeval"])
def test_units_are_what_may_not_be_cut(family: str) -> None:
    context, units = CONTEXTS[family]
    assert FAMILIES[family].units(context) == units


def test_a_session_is_one_unit_with_its_date() -> None:
    units = FAMILIES["longmemeval"].units(CONTEXTS["longmemeval"][0])
    sessions = [unit for unit in units if unit != "["]
    assert len(sessions) == 2
    assert all(session.startswith("'Chat Time: 2022/11/1") for session in sessions)


def test_sessions_in_plain_text_begin_at_their_dates() -> None:
    context = "Chat Time: 2022/11/17 (Thu) 12:04\nuser: Hi\n\nChat Time: 2022/11/18\nuser: Yes"
    assert len(FAMILIES["longmemeval"].units(context)) == 2


@pytest.mark.parametrize("family", CONTEXTS)
def test_the_units_of_a_real_form_give_it_back(family: str) -> None:
    context = CONTEXTS[family][0]
    assert "".join(FAMILIES[family].units(context)) == context


@pytest.mark.parametrize("family", CONTEXTS)
@given(context=st.text(alphabet=st.sampled_from("a'\"[]{}\\\n\r .:1Dlabel")) | st.text())
def test_the_units_of_any_text_give_it_back(family: str, context: str) -> None:
    units = FAMILIES[family].units(context)
    assert "".join(units) == context
    assert all(units)
