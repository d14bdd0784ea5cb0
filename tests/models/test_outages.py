"""A server that is not there, goes away or hangs: told from one that is slow, busy or odd."""

import asyncio
import time

import pytest

from mabench.models import (
    ModelError,
    ModelStoppedError,
    ModelUnavailableError,
    ReadingModel,
    RetryPolicy,
    road,
)
from tests.models.asking import with_model
from tests.models.server import Fault, serving
from tests.remote.mcp_serving import free_port

_QUICK = RetryPolicy(attempts=3, first=0.01, longest=0.05, timeout=0.3, patience=0.6)


def test_a_preflight_names_the_fault_and_the_remedy() -> None:
    begun = time.monotonic()
    nobody = f"http://127.0.0.1:{free_port()}/v1"
    with pytest.raises(ModelUnavailableError, match="connection is refused; start it") as refused:
        with_model(nobody, ReadingModel.preflight, _QUICK)
    assert refused.value.parameter == "base_url"
    with pytest.raises(ModelUnavailableError, match="the host name cannot be resolved"):
        with_model("http://nobody.invalid/v1", ReadingModel.preflight, _QUICK)
    with serving(str.upper) as served:
        key = "the key is rejected; check OPENAI_API_KEY"
        remedies = {401: key, 403: key, 404: "no model 'm'; check `model`"}
        served.fault = lambda call: [*remedies][call - 1]
        for status, remedy in remedies.items():
            with pytest.raises(ModelUnavailableError, match=f"HTTP {status}.*{remedy}"):
                with_model(served.url, ReadingModel.preflight, _QUICK)
        served.fault = lambda call: 404
        with pytest.raises(ModelUnavailableError, match=rf"did you mean `base_url` {served.url}\?"):
            with_model(served.url.removesuffix("/v1"), ReadingModel.preflight, _QUICK)
    assert time.monotonic() - begun < 20  # Without retries; machines are busy.


@pytest.mark.parametrize("kind", ["429", "500", "503", "400", "garbage", "empty", "drop", "late"])
def test_a_server_that_is_slow_busy_or_in_trouble_passes_the_preflight(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if kind == "late":
        monkeypatch.setattr(road, "_PROBE_SECONDS", 0.1)

    async def work(model: ReadingModel) -> str:
        await model.preflight()
        return (await model.reply("hello", 5)).text

    with serving(str.upper) as served:
        served.preflight = lambda _: Fault(kind, body="OK" if kind == "late" else None, seconds=0.3)
        retry = RetryPolicy(first=0.01, timeout=5.0)
        assert with_model(served.url, work, retry) == "HELLO"
        assert served.preflights == 1 or kind == "late"


def test_a_preflight_that_is_put_off_comes_before_the_first_request() -> None:
    async def work(model: ReadingModel) -> None:
        model.preflight_later()
        async with asyncio.TaskGroup() as tasks:
            for i in range(5):
                tasks.create_task(model.reply(f"{served.preflights} {i}", 5))

    with serving(str.upper) as served:
        with_model(served.url, work, _QUICK)
        assert (served.preflights, len(served.asked)) == (1, 5)
        served.preflight = lambda _: Fault("404")
        with pytest.raises(ExceptionGroup) as failed:
            with_model(served.url, work, _QUICK)
        assert failed.group_contains(ModelUnavailableError, match="no model 'm'")
        assert len(served.asked) == 5


@pytest.mark.parametrize("kind", ["nobody", "500", "hang", "drop"])
def test_a_server_that_stays_away_is_given_up_after_our_patience(kind: str) -> None:
    async def work(model: ReadingModel) -> None:
        await asyncio.gather(*(model.reply(str(i), 5) for i in range(4)))

    begun = time.monotonic()
    with serving(lambda _: Fault(kind)) as served:
        served.preflight = served.answer
        url = f"http://127.0.0.1:{free_port()}/v1" if kind == "nobody" else served.url
        with pytest.raises(ModelUnavailableError, match="has answered nothing for 1 s"):
            with_model(url, work, _QUICK)
    assert 0.6 <= time.monotonic() - begun < 20


def test_a_server_that_returns_in_time_costs_no_answer() -> None:
    begun = time.monotonic()

    def answer(prompt: str) -> str | Fault:
        return "fine" if time.monotonic() > begun + 0.4 else Fault("500")

    async def work(model: ReadingModel) -> list[str]:
        return [r.text for r in await asyncio.gather(*(model.reply(str(i), 5) for i in range(4)))]

    with serving(answer) as served:
        served.preflight = answer
        assert with_model(served.url, work, _QUICK) == ["fine"] * 4
        assert min(served.asked.values()) > _QUICK.attempts


@pytest.mark.parametrize("kind", ["500", "drop", "hang"])
def test_a_prompt_that_the_server_cannot_bear_is_no_outage(kind: str) -> None:
    """The server answers the probe, so that the question fails, and not the run."""
    patient = RetryPolicy(attempts=3, first=0.01, timeout=0.3)
    said = {"hang": r"no complete reply within 0\.3 s"}.get(kind)
    with serving(lambda _: Fault(kind)) as served, pytest.raises(ModelError, match=said) as raised:
        with_model(served.url, lambda model: model.reply("poison", 5), patient)
    assert not isinstance(raised.value, ModelUnavailableError)
    assert "asked 4 times" in str(raised.value), "once more after the server answered the probe"
    assert served.asked["poison"] == 4


@pytest.mark.parametrize(
    ("fault", "grace", "pause"),
    [
        (Fault("hang"), 0.1, 0.0),
        (Fault("500"), None, 0.0),
        (Fault("429", {"Retry-After": "60"}), None, 0.0),
        (Fault("500"), None, 0.3),  # It is with the server then, and not sent again.
    ],
)
def test_requests_that_hang_wait_or_fail_are_halted_at_once(
    fault: Fault, grace: float | None, pause: float
) -> None:
    async def stopped(model: ReadingModel, prompt: str) -> None:
        with pytest.raises(ModelStoppedError):
            await model.reply(prompt, 5)

    async def work(model: ReadingModel) -> None:
        async def halt() -> None:
            await asyncio.sleep(0.2)
            await asyncio.to_thread(model.road.halt, grace)

        await asyncio.gather(halt(), *(stopped(model, str(i)) for i in range(20)))
        await stopped(model, "later")

    begun = time.monotonic()
    with serving(lambda _: fault) as served:
        served.pause = pause
        with_model(served.url, work, RetryPolicy(first=60.0, longest=60.0))
        assert "later" not in served.asked
    assert time.monotonic() - begun < 30  # A retry waits for 60 s.
