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


class British:
    memorise, answer = Fine.memorize, Fine.answer


class NoArgument(Fine):
    def answer(self) -> str:  # type: ignore[override]
        return ""


class TwoArguments(Fine):
    def memorize(self, chunk: str, number: int) -> None: ...  # type: ignore[override]


class NotCallable(Fine):
    answer = "Rome"  # type: ignore[assignment]


class SaysNothing(Fine):
    answer = str  # type: ignore[assignment]  # Its signature cannot be known.


class SavesNowhere(Fine):
    def save(self) -> None: ...


class TellsOfOne(Fine):
    def stats(self, name: str) -> dict[str, int]:
        return {}


@pytest.mark.parametrize("agent", [Fine(), Asynchronous(), SaysNothing()])
def test_agents_that_can_be_examined_have_no_problem(agent: object) -> None:
    assert conformance_problems(agent) == []


@pytest.mark.parametrize(
    ("agent", "told"),
    [
        (Fine, ["Fine is a class where an instance is needed"]),
        (British(), ["no method memorize(chunk) (is memorise meant to be it?)"]),
        (NoArgument(), ["answer() -> str must be callable as answer(query)"]),
        (TwoArguments(), ["must be callable as memorize(chunk)"]),
        (NotCallable(), ["NotCallable.answer is str, not a method"]),
        (SavesNowhere(), ["must be callable as save(folder)"]),
        (TellsOfOne(), ["must be callable as stats()"]),
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
