"""What odd replies of a server come to, and how often a request is sent and paid for."""

import json
from pathlib import Path
from typing import Any

import pytest

import mabench
from mabench.errors import UsageError
from mabench.models import ModelAddress, ModelError, ReadingModel, RetryPolicy
from mabench.models.errors import ModelUnavailableError
from mabench.models.server.requests import Reply
from mabench.models.server_message import parse_error_body
from mabench.results import Run
from mabench.runs.execution import RunStoppedError
from mabench.specs import Limits, ModelSpec
from tests.models.server import KEY, Fault, serving
from tests.models.test_requests import with_model
from tests.remote.mcp_serving import free_port
from tests.rows import dataset

_CASES = Path(__file__).resolve().parents[3] / "shared" / "cases" / "server_replies.jsonl"
QUICK = RetryPolicy(attempts=3, first=0.001, longest=0.002, timeout=60.0, patience=0.5)


async def ask(model: ReadingModel) -> Reply:
    return await model.reply("Who took the clock?", 20)


def completion(message: dict[str, Any], finish: str = "stop", **more: Any) -> bytes:
    choice = {"index": 0, "message": {"role": "assistant", **message}, "finish_reason": finish}
    usage = {"prompt_tokens": 10, "completion_tokens": 2}
    return json.dumps({"choices": [choice], "usage": usage, **more}).encode()


TEXT = {"type": "text", "text": "Arden"}


@pytest.mark.parametrize(
    "content",
    [
        "Arden",
        ["Arden"],
        [TEXT],
        TEXT,
        [{"type": "output_text", "text": "Arden"}],
        [{"text": "Ar"}, {"text": "den"}],
        [{"type": "thinking", "thinking": [{"type": "text", "text": "Bree?"}]}, TEXT],
        [{"type": "reasoning", "text": "Bree?"}, TEXT, {"type": "image_url", "image_url": {}}],
    ],
)
def test_an_answer_in_parts_is_read(content: object) -> None:
    with serving() as served:
        served.reply = lambda _: completion({"content": content})
        assert with_model(served.url, ask, QUICK).text == "Arden"
        assert served.calls == 1


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (completion({"content": None, "refusal": "I can't help."}), "refused: I can't help."),
        (completion({"content": [{"type": "refusal", "refusal": "No, thanks."}]}), "No, thanks."),
        (completion({"content": ""}, "content_filter"), "filtered the reply"),
        (completion({"content": None, "tool_calls": [{"id": "a"}]}, "tool_calls"), "called a tool"),
        (completion({"content": None, "reasoning_content": "Arden?"}), "reasoning alone"),
        (completion({"content": "", "reasoning": "Arden?"}), "reasoning alone"),
        (completion({"content": ""}, "length"), "all 20 tokens went into reasoning"),
        (b'data: {"choices": [{"delta": {"content": "Arden"}}]}\n\ndata: [DONE]\n\n', "a stream"),
        (completion({"content": "Arden"}) + b"\n\ndata: [DONE]\n\n", "a stream"),
        (b"<!DOCTYPE html><html><body>Sign in</body></html>", "a web page, such as one to sign in"),
    ],
)
def test_what_no_repetition_helps_is_asked_once_and_told_in_words(body: bytes, said: str) -> None:
    with serving() as served:
        served.reply = lambda _: body
        with pytest.raises(ModelError, match=said):
            with_model(served.url, ask, QUICK)
        assert served.calls == 1


def test_what_is_drawn_may_come_out_otherwise_and_is_asked_again() -> None:
    with serving() as served:
        bodies = [completion({"content": None, "reasoning": "?"}), completion({"content": "Arden"})]
        served.reply = lambda _: bodies[min(served.calls, 2) - 1]
        assert with_model(served.url, ask, QUICK, temperature=0.7).text == "Arden"


@pytest.mark.parametrize(
    "usage",
    [
        {"prompt_tokens": "10", "completion_tokens": "2"},
        {"prompt_tokens": -1, "completion_tokens": 2},
        {"prompt_tokens": 1.5, "completion_tokens": 2},
        {"prompt_tokens": 10**12, "completion_tokens": 2},
        {"prompt_tokens": True, "completion_tokens": 2},
        {"prompt_tokens": {"total": 3}, "completion_tokens": 2},
        "many",
        [1, 2],
        None,
    ],
)
def test_a_count_that_cannot_be_costs_no_answer(usage: object) -> None:
    with serving() as served:
        served.reply = lambda _: completion({"content": "Arden"}, usage=usage)
        reply = with_model(served.url, ask, QUICK)
        assert (reply.text, reply.usage.estimated, served.calls) == ("Arden", True, 1)


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ('{"error": {"message": "no such thing"}}', "no such thing"),
        ('{"error": "no such thing"}', "no such thing"),
        ('[{"error": {"code": 400, "message": "no such thing"}}]', "no such thing"),
        ('{"detail": "no such thing"}', "no such thing"),
        ('{"detail": [{"loc": ["body", "x"], "msg": "no such thing"}]}', "body.x: no such thing"),
        ('{"detail": [{"loc": [], "msg": "no such thing"}]}', "no such thing"),
        ('{"error": "Bad Request", "message": "no such thing"}', "Bad Request: no such thing"),
        ('{"errors": [{"message": "no such thing"}]}', "no such thing"),
        ("no such thing\n", "no such thing"),
        ("<html><h1>400</h1></html>", "it sent a web page"),
        (json.dumps({"error": {"message": f"bad key {KEY}"}}), "bad key"),
    ],
)
def test_the_words_of_the_server_are_kept(
    body: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with serving() as served:
        served.fault = lambda _: Fault("400", body=body)
        with pytest.raises(ModelError, match=f"HTTP 400: {said}") as failed:
            with_model(served.url, ask, QUICK)
        assert KEY not in str(failed.value)
        assert served.calls == 1


@pytest.mark.parametrize(
    "error",
    [{"message": "no quota", "code": "insufficient_quota"}, {"message": "pay", "code": 402}],
)
def test_an_empty_account_that_a_good_status_tells_of_stops_as_well(error: dict[str, Any]) -> None:
    with serving() as served:
        served.reply = lambda _: json.dumps({"choices": None, "error": error}).encode()
        with pytest.raises(ModelUnavailableError, match="add credit"):
            with_model(served.url, ask, QUICK)
        assert served.calls == 1


@pytest.mark.parametrize("kind", [["x"], {"a": 1}, 7, True])
def test_a_part_of_an_odd_type_is_no_answer_and_no_fault_of_ours(kind: object) -> None:
    with serving() as served:
        served.reply = lambda _: completion({"content": [{"type": kind, "text": "a"}]})
        with pytest.raises(ModelError, match="the reply is empty"):
            with_model(served.url, ask, QUICK)


def test_an_error_within_a_reply_is_asked_again_and_then_told() -> None:
    body = json.dumps({"choices": None, "error": {"message": "Provider returned error"}}).encode()
    with serving() as served:
        served.reply = lambda _: body
        with pytest.raises(ModelError, match=r"Provider returned error \(asked 3 times\)"):
            with_model(served.url, ask, QUICK)


@pytest.mark.parametrize(
    "body",
    [
        {"detail": [{"type": "extra_forbidden", "loc": ["body", "temperature"], "msg": "Extra"}]},
        {"error": {"message": "`temperature` is deprecated for this model."}},
        {"error": {"message": "invalid temperature: only 1 is allowed for this model"}},
        {"error": {"message": "Not valid.", "param": "temperature"}},
        [{"error": {"message": 'Unknown name "temperature": Cannot find field.'}}],
    ],
)
@pytest.mark.parametrize("status", ["400", "422"])
def test_a_parameter_that_a_server_names_is_left_out_from_then_on(body: Any, status: str) -> None:
    with serving() as served:
        served.fault = lambda _: (
            Fault(status, body=json.dumps(body)) if "temperature" in served.requests[-1] else None
        )

        async def work(model: ReadingModel) -> None:
            for _ in range(2):
                await ask(model)

        with_model(served.url, work, QUICK)
        assert ["temperature" in request for request in served.requests] == [True, False, False]


UNPAID = [
    Fault("402", body='{"error": {"message": "Insufficient credits", "code": 402}}'),
    Fault("429", body='{"error": {"message": "You exceeded it", "type": "insufficient_quota"}}'),
    Fault("403", body='{"error": {"message": "no", "code": "billing_not_active"}}'),
]


@pytest.mark.parametrize("fault", UNPAID, ids=lambda fault: fault.kind)
def test_an_empty_account_stops_a_run_which_is_resumed(
    fault: Fault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setattr("mabench.specs.ModelSpec.retry", QUICK)
    with serving() as served:
        spec = ModelSpec("m", base_url=served.url, cache=False)
        served.fault = lambda _: fault if len(served.requests) > 1 else None
        one = Limits(questions=1)  # Others under way would be refused as well.
        with pytest.raises(RunStoppedError, match=f"HTTP {fault.kind}: .*; add credit.*resumes"):
            mabench.run("bm25", dataset(), out=tmp_path / "run", model=spec, limits=one)
        assert len(list(Run(tmp_path / "run").samples())) == 1
        assert len(served.requests) == 2
        served.fault = lambda _: None
        run = mabench.run("bm25", dataset(), out=tmp_path / "run", model=spec)
    assert all(sample.prediction for sample in run.samples())


def test_a_rate_limit_that_speaks_of_a_plan_is_waited_for() -> None:
    body = '{"error": {"code": 429, "message": "quota exceeded, check your plan and billing"}}'
    with serving() as served:
        served.fault = lambda call: Fault("429", body=body) if call == 1 else None
        assert with_model(served.url, ask, QUICK).text
        assert served.calls == 2


def test_an_answer_that_is_cut_off_is_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MABENCH_CACHE", str(tmp_path / "cache"))
    with serving() as served:
        served.reply = lambda _: completion({"content": "Ard"}, "length")
        spec = ModelSpec("m", base_url=served.url)
        for name in ("run", "replayed"):  # The second from kept replies.
            run = mabench.run("bm25", dataset(), out=tmp_path / name, model=spec)
            samples = [*run.samples()]
            assert all(sample.cut_off for sample in samples)
            assert run.summary.spent.cut_off == len(samples)
        before = served.calls
        assert before == 2 + len(samples), "with two preflights"


@pytest.mark.parametrize("key", [f"{KEY}\n", f"  {KEY}\t"])
def test_white_space_around_a_key_and_an_address_is_dropped(
    key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", key)
    with serving() as served:
        assert with_model(f" {served.url} ", ask, QUICK).text
        assert served.headers[-1]["Authorization"] == f"Bearer {KEY}"


@pytest.mark.parametrize("key", ["sk one", "sk-\u043a\u043b\u044e\u0447"])
def test_a_key_that_no_header_can_hold_is_refused_by_name(
    key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", key)
    with pytest.raises(UsageError, match=r"^OPENAI_API_KEY holds white space or") as refused:
        ModelAddress.find("m", None)
    assert key not in str(refused.value)


def test_the_address_of_an_endpoint_is_corrected() -> None:
    with pytest.raises(UsageError, match=r"leave /chat/completions out: http://a/v1$"):
        ModelAddress.find("m", "http://a/v1/chat/completions")


@pytest.mark.parametrize("variable", ["http_proxy", "HTTP_PROXY", "all_proxy"])
def test_a_proxy_that_is_away_is_blamed_by_name(
    variable: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY", "no_proxy", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
    proxy = f"http://me:hidden@127.0.0.1:{free_port()}"
    monkeypatch.setenv(variable, proxy)
    with serving() as served:
        said = rf"the proxy of {variable}=http://127.0.0.1:\d+: .*refused; correct .* to NO_PROXY"
        with pytest.raises(ModelUnavailableError, match=said) as refused:
            with_model(served.url, ReadingModel.preflight, QUICK)
    assert "hidden" not in str(refused.value)
    assert "start it" not in str(refused.value)


def test_words_have_a_limit_whatever_they_are() -> None:
    assert len(parse_error_body(b"x" * 100_000).text) <= 300
    assert parse_error_body(b"[" * 100_000).text
    assert parse_error_body(b"\xff\xfe").text
    assert parse_error_body(b"").text == ""


@pytest.mark.skipif(not _CASES.is_file(), reason=f"no {_CASES}")
def test_reported_cases_come_out_as_expected() -> None:
    for line in _CASES.read_text("utf-8").splitlines():
        case = json.loads(line)
        body = case["body"] if isinstance(case["body"], str) else json.dumps(case["body"])
        with serving() as served:
            if case["status"] == 200:
                served.reply = lambda _, body=body: body.encode()
            else:
                fault = Fault(str(case["status"]), body=body)
                served.fault = lambda _, fault=fault, served=served: (  # type: ignore[misc]
                    fault if "temperature" in served.requests[-1] else None
                )
            try:
                outcome = with_model(served.url, ask, QUICK).text
            except ModelError as error:
                outcome = str(error)
        if "answer is `Arden`" in case["expected"] and case["status"] == 200:
            assert outcome == "Arden" or "stream" in outcome, case["name"]
        assert (served.calls == 1) or case["name"] in {
            "error_in_200", "detail_list_422", "error_in_list", "deprecated",
        }, case["name"]  # fmt: skip
