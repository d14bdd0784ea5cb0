"""Money: prices, every paid reply counts, and none is lost; odd counts and refusals."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeVar

import pytest

from mabench.errors import DataError, UsageError
from mabench.models import (
    CallLog,
    CallPhase,
    KeptReply,
    ModelError,
    ModelSpec,
    Price,
    ReadingModel,
    ResponseCache,
    Usage,
    current_log,
    load_prices,
)
from mabench.models.server.refused_parameters import find_refused_parameter
from mabench.models.server.requests import ModelRequest
from mabench.models.server_message import ServerMessage
from tests.models.server import Fault, Served, completion, serving
from tests.models.test_requests import with_model

T = TypeVar("T")
_DOLLAR = Price(0, 1e6 / 3)  # Each reply of the test's server has three tokens.


def paying(served: Served, work: Callable[[ReadingModel], Awaitable[T]], **how: Any) -> T:
    """Do some work with a model of which each reply is a dollar."""
    return with_model(served.url, work, **{"price": _DOLLAR, **how})


def new_log() -> CallLog:
    return CallLog(lambda call: None, CallPhase("answering"))


def test_replies_of_no_use_are_paid_for() -> None:
    async def work(model: ReadingModel) -> None:
        current_log.set(log := new_log())
        with pytest.raises(ModelError, match="empty"):
            await model.reply("hello", 5)
        assert model.spent == pytest.approx(4)
        assert [log.paid, log.wasted] == pytest.approx([4, 4])
        served.answer = lambda _: Fault("200", body=json.dumps(completion("") | {"choices": []}))
        current_log.set(new_log())
        with pytest.raises(ModelError, match="no message"):
            await model.reply("hello", 5)
        assert model.spent == pytest.approx(8)
        served.answer = str.upper
        current_log.set(log := new_log())
        await model.reply("hello", 5)
        assert [log.paid, log.wasted] == pytest.approx([1, 0])

    with serving(lambda _: Fault("empty")) as served:
        paying(served, work)


def test_absurd_counts_are_replaced_by_our_estimate_which_is_paid_for(tmp_path: Path) -> None:
    absurd = [-1, 10**30, "12", True, 0.5, [1], {"a": 1}, float("nan")]
    usages = [[1, 2], *({"prompt_tokens": 1, "completion_tokens": one} for one in absurd)]

    def answer(prompt: str) -> str | Fault:
        body = completion("fine") | {"usage": usages[int(prompt)]}
        return Fault("200", body=json.dumps(body))

    async def work(model: ReadingModel) -> None:
        for number in range(len(usages)):
            before = model.spent
            reply = await model.reply(str(number), 5)
            assert (reply.text, reply.usage.estimated) == ("fine", True)
            assert model.spent > before
            assert served.asked[str(number)] == 1
        mute = json.dumps(completion("fine", {"completion_tokens": 3}))
        served.answer = lambda _: Fault("200", body=mute)
        assert (await model.reply("mute", 5)).usage.estimated

    with serving(answer) as served:
        paying(served, work, cache=tmp_path)


def test_a_reply_that_cannot_be_kept_is_used_all_the_same(tmp_path: Path) -> None:
    async def work(model: ReadingModel) -> None:
        assert (await model.reply("half", 5)).text == "half \ud83d"
        assert (await model.reply("half", 5)).cached
        cache = ResponseCache(tmp_path)
        served.answer = str.upper
        await model.reply("kept", 5)
        cache._rows._connection.execute("PRAGMA query_only=1")
        model.cache = cache
        assert (await model.reply("new", 5)).text == "NEW"
        assert "cannot be cached" in (cache.not_kept or "")
        assert (await model.reply("kept", 5)).cached, "what is kept can be read still"
        assert served.paid["kept"] == 1

    with serving(lambda _: "half \ud83d") as served:
        paying(served, work, cache=tmp_path)


@pytest.mark.parametrize("named", [True, False])
def test_what_a_server_refuses_is_learnt_once_for_all_in_flight(named: bool) -> None:
    def refused(call: int) -> Fault | None:
        request = json.loads(served.bodies[call - 1])
        name = next((one for one in ("max_tokens", "temperature", "seed") if one in request), None)
        if name is None:
            return None
        error = {"message": f"Unsupported parameter: '{name}'. Use another."}
        return Fault("400", body=json.dumps({"error": error | ({"param": name} if named else {})}))

    async def work(model: ReadingModel) -> int:
        if preflight:
            await model.preflight()
        replies = await asyncio.gather(*(model.reply(str(i), 5) for i in range(16)))
        assert {reply.text for reply in replies} == {"Paris it is"}
        assert served.requests[-1]["max_completion_tokens"] == 5, "put otherwise"
        assert model.spent == pytest.approx(16 + preflight)
        return sum(served.asked.values()) - 16

    with serving() as served:
        served.fault = refused
        how = {"requests_in_flight": 16, "seed": 3}
        preflight = True
        assert paying(served, work, **how) == 0, "the preflight has learnt it all"
        assert served.preflights == 4
        preflight = False
        assert paying(served, work, **how) >= 3


@pytest.mark.parametrize(
    ("param", "message", "refused"),
    [
        ("max_tokens", "Unsupported parameter: 'max_tokens' is not supported. Use "
         "'max_completion_tokens' instead.", "max_tokens"),
        (None, "Extra inputs are not permitted: body.seed", "seed"),
        ("temperature", "Only the default (1) value is supported.", "temperature"),
        ("max_tokens", "max_tokens is too large: 90000. The maximum context length is 8192.",
         None),
        (None, "The prompt asks about the temperature.", None),
        (None, "only 1 is allowed as `temperature`", "temperature"),
        (None, "seed must be null", "seed"),
        ("messages", "Unknown role.", None),
    ],
)  # fmt: skip
def test_refusals_are_told_apart(param: str | None, message: str, refused: str | None) -> None:
    sent = {"messages": [], "max_tokens": 5, "temperature": 0, "seed": 1}
    request = ModelRequest("What was the temperature?" if "prompt" in message else "Who?", 5)
    words = ServerMessage(message, (param,) if param else ())
    assert find_refused_parameter(sent, request, words) == refused


def test_a_reply_comes_back_as_it_was_and_one_tampered_with_is_kept_anew(tmp_path: Path) -> None:
    replies = [
        *(KeptReply(b"\xff\0", usage, "") for usage in (None, Usage(1, 2, 1, estimated=True))),
        *(KeptReply(b"x", None, "text/html; a=~", packed) for packed in ("gzip", "deflate")),
        *(KeptReply(body, Usage(0, 10**8)) for body in (b"", b"half \xed\xa0\xbd\0", b"a" * 999)),
    ]
    for number, one in enumerate(replies):
        assert ResponseCache(tmp_path).put(str(number), one) == one
        for reads_only in (False, True):
            assert ResponseCache(tmp_path, reads_only=reads_only).get(str(number)) == one
    assert replies[-2].text == "half \ud83d\0"
    cache, reply = ResponseCache(tmp_path), KeptReply(b"{}", Usage(1, 2), "application/json")
    for column, value in (
        *(("type", "a/b\r\nSet-Cookie: a=b"), ("encoding", "x\r\ny"), ("output_tokens", "many")),
        *(("input_tokens", count) for count in (-1, 10**12)),
        *(("text", damage) for damage in (b"no zlib", b"", 7)),
    ):
        assert cache.put("body", reply) == cache.get("body") == reply
        cache._rows._connection.execute(f"UPDATE replies SET {column} = ?", (value,))
        assert cache.get("body") is ResponseCache(tmp_path, reads_only=True).get("body") is None
    (other := tmp_path / "other").mkdir()
    (other / "replies.sqlite").write_bytes(b"no database" * 100)
    with pytest.raises(DataError, match=r"replies.sqlite: the cache cannot be opened"):
        ResponseCache(other, reads_only=True)


def test_prices_are_those_of_tokens_kept_or_not_and_of_the_one_model_of_a_name(
    tmp_path: Path,
) -> None:
    price = Price.of("openai/gpt-4o-mini", load_prices())
    assert price is not None
    assert price.cost(Usage(1_000_000, 100_000)) == pytest.approx(0.15 + 0.06)
    assert price.window == 128_000
    assert Price.of("nobody/knows", load_prices()) is None
    assert Price(1, 10).cost(Usage(100, 10, 40)) == Price(1, 10).cost(Usage(100, 10))
    assert Price(1, 10, cached_input=0.0).cost(Usage(100, 0, 100)) == 0
    for name, price in load_prices().items():
        if "embedding" not in name:
            assert price.cached_input is not None
            assert price.cached_input < price.input
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


def test_a_model_of_another_provider_needs_a_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    with pytest.raises(UsageError, match="litellm's proxy; name it as `base_url`"):
        ReadingModel.open(ModelSpec("anthropic/some-model", cache=False))
