from dataclasses import fields
from itertools import product
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from mabench.contract import AgentError, Answer, Passage, Query, Stats, answer_of
from mabench.contract.methods import FIELDS as FIELDS_THAT_CROSS
from mabench.errors import MabenchError
from tests.agents.queries import ask


def test_values_become_plain_ones_and_every_field_crosses() -> None:
    text = answer_of(ask("Who?", prompt="Who?")).text
    assert (type(text), text) == (str, "Who?")
    assert answer_of("Rome") == Answer("Rome")
    assert answer_of({"text": ""}) == Answer("", retrieved=[])
    answer = answer_of({"text": "x", "input_tokens": np.int64(3), "cost": np.float32(0.5)})
    assert (type(answer.input_tokens), type(answer.cost)) == (int, float)
    assert (answer.input_tokens, answer.cost) == (3, 0.5)
    assert FIELDS_THAT_CROSS["answer"] == tuple(field.name for field in fields(Answer))
    assert FIELDS_THAT_CROSS["passage"] == tuple(field.name for field in fields(Passage))
    assert {*FIELDS_THAT_CROSS["query"]} == {*Query.__slots__} - {"system", "time", "user"}


COUNTS: dict[str, Any] = {"text": "Rome", "input_tokens": 7, "output_tokens": 0, "cost": 0.25}
FOUND = ["a", Passage("b", 2.5), {"text": "c", "score": 1}, SimpleNamespace(text="d")]
FIELDS = {**COUNTS, "retrieved": FOUND}
PASSAGES = [Passage("a"), Passage("b", 2.5), Passage("c", 1.0), Passage("d")]


@pytest.mark.parametrize("result", [FIELDS, SimpleNamespace(**FIELDS), Answer(**FIELDS)])
def test_mappings_and_objects_have_the_fields_of_an_answer(result: object) -> None:
    assert answer_of(result) == Answer(**COUNTS, retrieved=PASSAGES)


@pytest.mark.parametrize("result", [None, b"Rome", 43, ["Rome"], {"answer": "Rome"}, object()])
def test_what_is_no_answer_is_named_with_what_is_expected(result: object) -> None:
    shown = "None" if result is None else type(result).__name__
    with pytest.raises(AgentError, match=f"the answer is {shown}.*expected a str, an Answer"):
        answer_of(result)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        *product(["text"], [None, b"Rome"]),
        *product(["retrieved"], ["one passage", b"bytes", 3, {"text": "a"}, [b"a"]]),
        ("retrieved", [{"text": "a", "score": "high"}]),
        # The last of each could not be added up in a run folder.
        *product(["input_tokens"], [-1, 1.5, 10**19]),
        *product(["output_tokens"], [True, "12"]),
        *product(["cost"], [-0.5, float("nan"), "free", 1e300]),
    ],
)
def test_a_field_of_the_wrong_type_is_an_error_of_one_line(field: str, value: object) -> None:
    with pytest.raises(AgentError, match=r"^.*expected.*\Z") as caught:
        answer_of({"text": "Rome"} | {field: value})
    assert isinstance(caught.value, MabenchError)


@pytest.mark.parametrize(
    ("told", "memories", "size"),
    [
        ({"memories": 3, "bytes": 40}, 3, 40),
        ({"memories": 0}, 0, None),
        ({"bytes": np.int64(8), "more": "ignored"}, None, 8),
        ({"memories": -1, "bytes": 2.5}, None, None),
        ({"memories": True, "bytes": "12"}, None, None),
        *product([dict[str, int](), None, 7, [("memories", 3)]], [None], [None]),
    ],
)
def test_what_is_no_count_is_not_told(told: object, memories: int | None, size: int | None) -> None:
    assert Stats.of(told) == (memories, size)
