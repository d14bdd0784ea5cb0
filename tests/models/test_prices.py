import asyncio
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from mabench.errors import MissingPackageError, UsageError
from mabench.models import (
    ModelError,
    ModelSpec,
    ModelUnavailableError,
    Price,
    ReadingModel,
    RetryPolicy,
    Usage,
    load_prices,
)
from mabench.models.server import LiteLLMModel


def test_the_shipped_prices_know_the_papers_reader_and_those_of_kept_tokens() -> None:
    price = Price.of("openai/gpt-4o-mini", load_prices())
    assert price is not None
    assert price.cost(Usage(1_000_000, 100_000)) == pytest.approx(0.15 + 0.06)
    assert price.window == 128_000
    assert Price.of("nobody/knows", load_prices()) is None
    assert Price(1, 10).cost(Usage(100, 10, 40)) == Price(1, 10).cost(Usage(100, 10))
    assert Price(1, 10, cached_input=0.0).cost(Usage(100, 0, 100)) == 0
    for price in load_prices().values():
        assert price.cached_input is not None
        assert price.cached_input < price.input


def test_without_a_provider_the_price_is_that_of_the_one_model_of_the_name(tmp_path: Path) -> None:
    file = tmp_path / "prices.toml"
    table = '["{}"]\ninput = {}\noutput = 2\n'
    file.write_text(table.format("one/tiny", 1) + table.format("one/big", 1))
    assert Price.of("tiny", load_prices(file)) == (1.0, 2.0, None, None)
    file.write_text(table.format("one/tiny", 1) + table.format("two/tiny", 3))
    assert Price.of("tiny", load_prices(file)) is None
    assert Price.of("two/tiny", load_prices(file)) == (3.0, 2.0, None, None)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[m]\ninput = 1\n", r"\[m\]: input and output must be numbers from 0"),
        ('[m]\ninput = "1"\noutput = 1\n', "must be numbers"),
        ("[m]\ninput = -1\noutput = 1\n", "must be numbers"),
        ("[m]\ninput = 1\noutput = 1\nwindow = 0\n", "window must be"),
        ("[m]\ninput = 1\noutput = 1\ncached_input = -1\n", "cached_input must be a number"),
        ('[m]\ninput = 1\noutput = 1\ncached_input = "0"\n', "cached_input must be a number"),
        ("[m]\ninput = nan\noutput = 1\n", "input and output must be numbers"),
        ("m = 1\n", r"\[m\] must be a table"),
        ("[m", "not a readable TOML file"),
    ],
)
def test_wrong_prices_are_named(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "prices.toml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(UsageError, match=message):
        load_prices(file)


def test_a_provider_that_takes_litellm_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    monkeypatch.setitem(sys.modules, "litellm", None)
    with pytest.raises(MissingPackageError, match=r"pip install .*\[litellm\]'"):
        ReadingModel.open(ModelSpec("anthropic/some-model", cache=False))


class _Status(Exception):  # noqa: N818 - stands for litellm's own
    def __init__(self, status_code: int) -> None:
        super().__init__("refused sk-abcdefghijkl")
        self.status_code = status_code


def _litellm(monkeypatch: pytest.MonkeyPatch, reply: Any) -> list[dict[str, Any]]:
    asked: list[dict[str, Any]] = []

    async def acompletion(**arguments: Any) -> Any:
        asked.append(arguments)
        if isinstance(reply, Exception):
            raise reply
        return reply

    monkeypatch.setitem(sys.modules, "litellm", SimpleNamespace(acompletion=acompletion))
    return asked


def _completion(text: str | None, usage: object = None) -> SimpleNamespace:
    body = {"choices": [{"message": {"content": text}}], "usage": usage}
    return SimpleNamespace(model_dump=lambda: body)


async def _reply() -> Any:
    retry = RetryPolicy(attempts=2, first=0.01, patience=0.1)
    spec = ModelSpec("a/b", seed=1, cache=False)
    return await ReadingModel(spec, LiteLLMModel("a/b", retry), retry=retry).reply("hello", 7)


def test_litellm_is_asked_and_read_and_its_failures_are_ours(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    details = {"cached_tokens": 4}
    usage = {"prompt_tokens": 5, "completion_tokens": 2, "prompt_tokens_details": details}
    asked = _litellm(monkeypatch, _completion("hi", usage))
    reply = asyncio.run(_reply())
    assert (reply.text, reply.usage) == ("hi", Usage(5, 2, 4))
    assert asked[0]["model"] == "a/b"
    assert (asked[0]["max_tokens"], asked[0]["seed"], asked[0]["num_retries"]) == (7, 1, 0)
    _litellm(monkeypatch, _completion("hi"))
    assert asyncio.run(_reply()).usage.estimated
    refused = r"a/b: _Status: refused \[secret\]"
    for reply, kind, said in (
        (_Status(422), ModelError, refused),
        (_Status(401), ModelUnavailableError, refused),
        (_completion(None), ModelError, "the reply is empty"),
    ):
        _litellm(monkeypatch, reply)
        with pytest.raises(ModelError, match=said) as raised:
            asyncio.run(_reply())
        assert type(raised.value) is kind
