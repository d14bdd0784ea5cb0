from typing import Any

import pytest

from mabench.contract.interfaces import Query, conformance_problems


class Fine:
    def memorize(self, chunk: str) -> None: ...

    def answer(self, query: Query) -> str:
        return str(query)


class Asynchronous:
    async def memorize(self, chunk: str, again: bool = False) -> None: ...

    async def answer(self, *args: object) -> str:
        return ""

    def close(self) -> None: ...


def but(**methods: Any) -> object:
    """Return a fine agent of which some methods are others."""
    return type("Agent", (Fine,), methods)()


BRITISH = type("British", (), {"memorise": Fine.memorize, "answer": Fine.answer})()
SAYS_NOTHING = but(answer=str)  # Its signature cannot be known.


@pytest.mark.parametrize("agent", [Fine(), Asynchronous(), SAYS_NOTHING])
def test_agents_that_can_be_examined_have_no_problem(agent: object) -> None:
    assert conformance_problems(agent) == []


@pytest.mark.parametrize(
    ("agent", "told"),
    [
        (Fine, ["Fine is a class, not an instance"]),
        (BRITISH, ["no method memorize(chunk) (did you mean memorise?)"]),
        (but(answer=lambda self: ""), ["answer() must be callable as answer(query)"]),
        (but(memorize=lambda self, chunk, number: None), ["must be callable as memorize(chunk)"]),
        (but(answer="Rome"), ["Agent.answer is str, not a method"]),
        (but(save=lambda self: None), ["must be callable as save(folder)"]),
        (but(stats=lambda self, name: {}), ["must be callable as stats()"]),
        (object(), ["no method memorize(chunk)", "no method answer(query)"]),
        (None, ["NoneType has no method memorize(chunk)", "no method answer(query)"]),
    ],
)
def test_every_problem_is_told(agent: object, told: list[str]) -> None:
    problems = conformance_problems(agent)
    assert len(problems) == len(told)
    for problem, part in zip(problems, told, strict=True):
        # Signatures are shown with the annotations as they were written.
        assert part in problem.replace("'", "")
