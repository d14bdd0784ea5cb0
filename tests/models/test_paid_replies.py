"""Money: every paid reply counts, and none is lost; odd counts and refused parameters."""

import asyncio
import json
import sqlite3
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from mabench.errors import DataError
from mabench.models import (
    CallLog,
    CallPhase,
    KeptReply,
    ModelError,
    Price,
    ReadingModel,
    Reply,
    ResponseCache,
    RetryPolicy,
    Usage,
    current_log,
)
from mabench.models.server import _read_completion, _refused_parameter
from mabench.models.spec import Failure, ModelRequest
from tests.models.asking import with_model
from tests.models.server import Fault, Served, completion, serving

_QUICK = RetryPolicy(attempts=4, first=0.01, longest=0.02, timeout=1.0)
T = TypeVar("T")
_DOLLAR = Price(0, 1e6 / 3)  # Each reply of the test's server has three tokens.


def paying(served: Served, work: Callable[[ReadingModel], Awaitable[T]], **how: Any) -> T:
    """Do some work with a model of which each reply is a dollar."""
    return with_model(served.url, work, **{"retry": _QUICK, "price": _DOLLAR, **how})


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


@pytest.mark.parametrize("usage", [[1, 2], {"prompt_tokens": 1, "completion_tokens": -1}], ids=str)
def test_absurd_counts_are_an_error_that_is_not_kept(usage: object, tmp_path: Path) -> None:
    body = completion("fine") | {"usage": usage}

    async def work(model: ReadingModel) -> None:
        with pytest.raises(ModelError, match="the server counts"):
            await model.reply("hello", 5)
        assert model.spent > 0, "our estimate is paid for"
        assert served.asked["hello"] == 1
        served.answer = str.upper
        assert (await model.reply("hello", 5)) == Reply("HELLO", Usage(11, 3))

    with serving(lambda _: Fault("200", body=json.dumps(body))) as served:
        paying(served, work, cache=tmp_path)


_counted = st.none() | st.integers() | st.floats() | st.text() | st.booleans()


@given(counts=st.tuples(_counted, _counted | st.just([1]) | st.just({"a": 1})))
@example((1, 10**30))
@example((1, "12"))
@example((1, True))
@example((1, 0.5))
def test_counts_are_whole_and_possible_or_an_error(counts: tuple[object, object]) -> None:
    usage = dict(zip(("prompt_tokens", "completion_tokens"), counts, strict=True))
    outcome = _read_completion(ModelRequest("hello", 5), completion("fine") | {"usage": usage})
    assert outcome.usage is not None
    if isinstance(outcome, Failure):
        assert not outcome.again
    else:
        for tokens in outcome.usage[:2]:
            assert type(tokens) is int
            assert 0 <= tokens <= 10**8


def test_a_reply_that_cannot_be_kept_is_used_all_the_same(tmp_path: Path) -> None:
    async def work(model: ReadingModel) -> None:
        assert (await model.reply("half", 5)).text == "half \ud83d"
        assert (await model.reply("half", 5)).cached
        cache = ResponseCache(tmp_path)
        served.answer = str.upper
        await model.reply("kept", 5)
        cache._connection.execute("PRAGMA query_only=1")
        model._cache = cache
        assert (await model.reply("new", 5)).text == "NEW"
        assert "cannot be cached" in (model.not_kept or "")
        assert (await model.reply("kept", 5)).cached, "what is kept can be read still"
        assert served.paid["kept"] == 1

    with serving(lambda _: "half \ud83d") as served:
        paying(served, work, cache=tmp_path)


@pytest.mark.parametrize("named", [True, False])
def test_what_a_server_refuses_is_learnt_once_for_all_in_flight(named: bool) -> None:
    refused = {"max_tokens": 0, "temperature": 0, "seed": 0}

    def answer_to(request: Mapping[str, Any]) -> str | Fault:
        name = next((name for name in refused if name in request), None)
        if name is None:
            return "fine"
        error = {"message": f"Unsupported parameter: '{name}'. Use another."}
        return Fault("400", body=json.dumps({"error": error | ({"param": name} if named else {})}))

    async def work(model: ReadingModel) -> int:
        if preflight:
            await model.preflight()
        replies = await asyncio.gather(*(model.reply(str(i), 5) for i in range(16)))
        assert {reply.text for reply in replies} == {"fine"}
        assert served.requests[-1]["max_completion_tokens"] == 5, "put otherwise"
        assert model.spent == pytest.approx(16 + preflight)
        return sum(served.asked.values()) - 16

    with serving(str.upper) as served:
        served.answer_request = answer_to
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
        (None, "The prompt speaks of temperature and max_tokens.", None),
        ("messages", "Unknown role.", None),
    ],
)  # fmt: skip
def test_refusals_are_told_apart(param: str | None, message: str, refused: str | None) -> None:
    sent = {"messages": [], "max_tokens": 5, "temperature": 0, "seed": 1}
    assert _refused_parameter(sent, param, message) == refused


_counts = st.integers(0, 10**8)
_usages = st.builds(Usage, _counts, _counts, _counts, st.booleans())
_replies = st.builds(
    KeptReply,
    st.binary(),
    st.none() | _usages,
    st.from_regex(r"[\x20-\x7e]{0,20}", fullmatch=True),
    st.sampled_from(["", "gzip"]),
)


@settings(max_examples=30, deadline=None)
@example(text="half \ud83d", usage=Usage(1, 2), reply=KeptReply(b""))
@given(text=st.text(st.characters()), usage=_usages, reply=_replies)
def test_any_reply_comes_back_as_it_was(
    text: str, usage: Usage, reply: KeptReply, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("replies")
    cache = ResponseCache(folder)
    cache.put("text", KeptReply.of_text(text, usage))
    cache.put("bytes", reply)
    for opened in (cache, ResponseCache(folder, reads_only=True)):
        kept = opened.get("text")
        assert kept
        assert (kept.text, kept.usage) == (text, usage)
        assert opened.get("bytes") == reply
        opened.close()


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("type", "a/b\r\nSet-Cookie: a=b"),
        ("encoding", "x\r\ny"),
        ("input_tokens", -1),
        ("input_tokens", 10**12),
        ("output_tokens", "many"),
    ],
)
def test_a_reply_tampered_with_is_not_kept(column: str, value: object, tmp_path: Path) -> None:
    cache = ResponseCache(tmp_path)
    cache.put("body", KeptReply(b"{}", Usage(1, 2), "application/json"))
    cache.close()
    connection = sqlite3.connect(tmp_path / "replies.sqlite")
    connection.execute(f"UPDATE replies SET {column} = ?", (value,))
    connection.commit()
    connection.close()
    cache = ResponseCache(tmp_path, reads_only=True)
    assert cache.get("body") is None


def test_a_file_that_is_no_database_is_named(tmp_path: Path) -> None:
    (tmp_path / "replies.sqlite").write_bytes(b"no database" * 100)
    with pytest.raises(DataError, match=r"replies.sqlite: the cache cannot be opened"):
        ResponseCache(tmp_path, reads_only=True)
