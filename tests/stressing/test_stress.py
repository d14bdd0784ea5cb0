"""A stress finds what a memory must not do, says it by its name, and passes what is right."""

from __future__ import annotations

import asyncio
import html
import inspect
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time as clock
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from http.client import HTTPException
from importlib import import_module
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
from jsonschema import Draft202012Validator, ValidationError

import mabench
from mabench.cli.stress import to_play_again
from mabench.contract.answers import passages_of
from mabench.contract.methods import flatten_pages
from mabench.errors import DataError, UsageError
from mabench.models import ModelAddress, ModelUnavailableError
from mabench.progress import NoProgress
from mabench.remote.channel import RemoteError
from mabench.remote.http_channel import http_factory
from mabench.remote.keeper import started_by
from mabench.reports.experiments.stress import conclude_stress
from mabench.specs import AgentSpec, ModelSpec, StressSpec
from mabench.stressing import StressReport, read_report, stressed, trial
from mabench.stressing.faults import model_server
from mabench.stressing.files import find_words
from mabench.stressing.operations import facts_of_seed
from mabench.stressing.report import Exposure, Kind, Latency, Obedience, Size, Tried
from tests.command_line import mabench as run_command
from tests.command_line import start, until
from tests.metering.memories import call
from tests.models.server import Fault, serving
from tests.remote import http_serving
from tests.stressing import correct
from tests.stressing.correct import Found, Held, Time, User
from tests.stressing.faulty import contradictions as faulty_contradictions
from tests.stressing.faulty import paraphrases as faulty_paraphrases
from tests.stressing.faulty import planted as faulty_planted
from tests.stressing.faulty import reads as faulty_reads
from tests.stressing.faulty import returns as faulty_returns
from tests.stressing.faulty import writes as faulty_writes

HERE = Path(__file__).parent
# Short: two clients, no time for growth or kills.
SHORT = StressSpec(seconds=1, clients=(1, 2))


def in_this_process(kind: type[Held]) -> type[Held]:
    """Return the same memory under a name that no other process finds: none is started for it."""
    return type(kind.__name__, (kind,), {"__qualname__": f"<locals>.{kind.__name__}"})


class Kept(Held):
    """Its deletions are forgotten."""

    def delete(self, id: str | None = None, *, user: str | None = None) -> None: ...


def test_the_same_seed_gives_the_same_operations_and_report_apart_from_times(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(trial, "_LEAST_CALL_SECONDS", 600.0)  # A busy machine may stop for seconds.
    timed = {"latency", "harness", "sizes", "readiness", "seconds"}

    def report(settings: StressSpec) -> tuple[str, list[str]]:
        log, ends = list[str](), list[int]()

        class Memory(Held):
            def add(self, text: str, *, time: Time = None, user: User = None) -> str:
                log.append(f"add {text} {time} {user}")
                return super().add(text, time=time, user=user)

            def search(self, query: str, k: int, *, time: Time = None, user: User = None) -> Found:
                log.append(f"search {query} {k} {time} {user}")
                return super().search(query, k, time=time, user=user)

        class Parts(NoProgress):
            def note(self, work: str, note: str) -> None:
                ends.append(len(log))

        made = mabench.stress(Memory, settings, progress=Parts()).as_dict()
        part = log[: ends[2]]  # It was tried, and used by one client.
        return json.dumps({name: of for name, of in made.items() if name not in timed}), part

    counted = StressSpec(seconds=600, clients=(1, 2), histories=1, seed=3)  # On any machine.
    first, asked = report(counted)
    assert (first, asked) == report(counted)
    _, asked_otherwise = report(replace(SHORT, seed=4))
    assert len(asked) > 40
    assert asked[:40] != asked_otherwise[:40]


TOLD = {"user": "mara", "client": 1, "time": "2024-03-01T10:00:00+00:00"}
ADD = {"op": "add", "fact": 0, "version": 0, **TOLD}
SEARCH = {"op": "search", "fact": 0, "user": "mara", "k": 50}
READY = {"op": "ready"}


def finding_file(folder: Path, name: str, *history: Any, **more: object) -> Path:
    """Write a report with one finding, to be replayed."""
    steps = [{"step": step, **each} for step, each in enumerate(history, start=1)]
    finding = {"name": name, "severity": "fault", "message": "?", "history": steps, **more}
    report = StressReport(memory="m", seed=0, takes={}).as_dict()
    file = folder / "report.json"
    file.write_text(json.dumps({**report, "findings": [finding]}))
    return file


def test_what_a_memory_does_not_offer_is_left_out_of_a_history(tmp_path: Path) -> None:
    class Plain(Held):
        list = None  # type: ignore[assignment]

        def search(self, query: str, k: int, *, user: User = None) -> Found:  # type: ignore[override]
            return super().search(query, k, user=user)

    as_of = {**SEARCH, "time": "2024-02-01T10:00:00+00:00"}
    listed = {"op": "list", "user": "mara"}
    file = finding_file(tmp_path, "lost-write", ADD, as_of, SEARCH, listed)
    report = mabench.stress(Plain, replay=file)
    assert report.passed
    assert report.not_tried[-2:] == [
        "list, in the replayed histories: not offered",
        "search as of a time, in the replayed histories: not offered",
    ]
    assert not any("replayed" in each for each in mabench.stress(Held, replay=file).not_tried)


def test_what_a_kill_loses_is_shown_again_by_its_history(tmp_path: Path) -> None:
    history = (ADD, {"op": "kill"}, {"op": "ready"}, SEARCH)
    file = finding_file(tmp_path, "lost-on-kill", *history, elsewhere=True)
    again = mabench.stress("tests.stressing.faulty.writes:LostOnKillLast", replay=file)
    assert [each.name for each in again.findings] == ["lost-on-kill"]
    assert mabench.stress("tests.stressing.correct:Filed", replay=file).passed


class Extracting(Held):
    """Beside each text it keeps the fact that it took from it, in words of its own."""

    def _texts_at(self, time: Time, user: User) -> Found:
        texts = super()._texts_at(time, user)
        return [one for text in texts for one in (text, f"Noted: {text.rpartition('. ')[2]}")]


class Repeating(Extracting):
    """From the eleventh on it keeps the text itself a second time instead."""

    def _texts_at(self, time: Time, user: User) -> Found:
        return [*super()._texts_at(time, user)[:20], *[*Held._texts_at(self, time, user)[10:]] * 2]


class Stamping(Held):
    """It stamps what it stores; from the eleventh on it stores each text twice."""

    def _texts_at(self, time: Time, user: User) -> Found:
        texts = super()._texts_at(time, user)
        return [f"[{number}] {text}" for number, text in enumerate([*texts, *texts[10:]])]


@pytest.mark.parametrize(
    ("memory", "names"),
    [
        (Extracting, []),
        (Repeating, ["double-write"]),
        (Stamping, ["double-write"]),
        (faulty_writes.DoubleWriteTwoIndexes, ["double-write"]),
    ],
)
def test_several_records_of_one_write_are_no_double_write(
    memory: type[Held], names: list[str], tmp_path: Path
) -> None:
    file = finding_file(tmp_path, "double-write", {**ADD, "count": 12}, {**SEARCH, "fact": 11})
    report = mabench.stress(in_this_process(memory), replay=file)
    assert [each.name for each in report.findings] == names


def test_what_no_longer_holds_is_searched_for_by_its_own_words(tmp_path: Path) -> None:
    change = {**ADD, "op": "update", "version": 1}
    for search, found in ((SEARCH, []), ({**SEARCH, "version": 0}, ["stale-after-update"])):
        history = (ADD, READY, change, READY, search)
        file = finding_file(tmp_path, "stale-after-update", *history)
        report = mabench.stress(in_this_process(faulty_reads.StaleAfterUpdatePosting), replay=file)
        assert [each.name for each in report.findings] == found


MAINTAIN, DELETE = {"op": "maintain"}, {"op": "delete", "fact": 0, "user": "mara"}
OTHER = {**ADD, "fact": 1}
COPY = {**ADD, "user": "mara2"}
OWN_COPY = {**SEARCH, "user": "mara2"}


@pytest.mark.parametrize(
    ("memory", "history", "name"),
    [
        ("ResurrectedFromLog", (ADD, READY, DELETE, MAINTAIN, READY, SEARCH), "resurrected"),
        ("ResurrectedFromLog", (ADD, MAINTAIN, READY, DELETE, READY, SEARCH), None),
        ("ResurrectedByImport", (ADD, OTHER, READY, DELETE, OTHER, READY, SEARCH), "resurrected"),
        (
            "ResurrectedByImport",
            (ADD, OTHER, READY, {**DELETE, "fact": 1}, DELETE, READY, OTHER, READY, SEARCH),
            "resurrected",
        ),
        (
            "ResurrectedFromBackup",
            (ADD, MAINTAIN, READY, DELETE, MAINTAIN, READY, SEARCH),
            "resurrected",
        ),
        ("KeptInSummaryOfUser", (ADD, MAINTAIN, READY, DELETE, READY, SEARCH), "kept-in-summary"),
        ("KeptInSummaryAtOnce", (ADD, READY, DELETE, READY, SEARCH), "kept-in-summary"),
        (
            "KeptInSummaryOfSummary",
            (ADD, MAINTAIN, READY, DELETE, MAINTAIN, READY, SEARCH),
            "kept-in-summary",
        ),
        ("CopyDeletedByText", (ADD, COPY, READY, DELETE, READY, OWN_COPY), "copy-deleted"),
        ("CopyDeletedWithFirst", (ADD, COPY, READY, DELETE, READY, OWN_COPY), "copy-deleted"),
        (
            "CopyDeletedWithUser",
            (ADD, COPY, READY, {"op": "delete-user", "user": "mara"}, READY, OWN_COPY),
            "copy-deleted",
        ),
    ],
)
def test_what_a_deletion_leaves_or_takes_along_is_named_after_its_cause(
    memory: str, history: Sequence[Any], name: str | None, tmp_path: Path
) -> None:
    file = finding_file(tmp_path, "deleted-found", *history)
    report = mabench.stress(in_this_process(vars(faulty_returns)[memory]), replay=file)
    assert [each.name for each in report.findings] == ([name] if name else [])
    for correct_one in (correct.Deduplicating, correct.Consolidating):
        assert mabench.stress(in_this_process(correct_one), replay=file).passed


REPLACED, CORRECTED, RETRACTED = (
    {**ADD, "op": op, "version": 1} for op in ("replace", "correct", "retract")
)


@pytest.mark.parametrize(
    ("memory", "history", "name"),
    [
        ("ReplacementIgnoredAlways", (ADD, READY, REPLACED, READY, SEARCH), "replacement-ignored"),
        ("ReplacementIgnoredAlways", (ADD, READY, CORRECTED, READY, SEARCH), None),
        ("ReplacementIgnoredOfSecond", (ADD, READY, REPLACED, READY, SEARCH), None),
        (
            "ReplacementIgnoredOfSecond",
            (ADD, ADD, READY, REPLACED, READY, SEARCH),
            "replacement-ignored",
        ),
        ("CorrectionIgnoredAlways", (ADD, READY, CORRECTED, READY, SEARCH), "correction-ignored"),
        ("RetractionIgnoredAlways", (ADD, READY, RETRACTED, READY, SEARCH), "retraction-ignored"),
        ("RecordLostByReplacement", (ADD, READY, REPLACED, READY, SEARCH), "record-lost"),
        (
            "RecordLostByMaintenance",
            (ADD, READY, CORRECTED, MAINTAIN, READY, SEARCH),
            "record-lost",
        ),
    ],
)
def test_a_contradiction_that_is_ignored_is_named_after_its_kind(
    memory: str, history: Sequence[Any], name: str | None, tmp_path: Path
) -> None:
    file = finding_file(tmp_path, "stale-after-update", *history)
    report = mabench.stress(in_this_process(vars(faulty_contradictions)[memory]), replay=file)
    assert [each.name for each in report.findings] == ([name] if name else [])
    assert mabench.stress(in_this_process(correct.Resolving), replay=file).passed
    # It stores both, and never promised otherwise.
    unpromised = mabench.stress(in_this_process(Held), replay=file)
    assert unpromised.passed
    assert any(each.endswith("replayed histories: not offered") for each in unpromised.not_tried)


PARAPHRASE, UPDATE = {**ADD, "op": "paraphrase"}, {**ADD, "op": "update", "version": 1}
SAME = {**PARAPHRASE, "version": 1}


@pytest.mark.parametrize(
    ("memory", "history", "name"),
    [
        ("ForSecondValue", (ADD, PARAPHRASE, UPDATE, SEARCH), "paraphrase-mistaken"),
        ("ForSecondValue", (ADD, ADD, UPDATE, SEARCH), None),
        ("ForOtherSubject", (ADD, OTHER, PARAPHRASE, {**SEARCH, "fact": 1}), "paraphrase-mistaken"),
        ("ForOtherSubject", (ADD, OTHER, PARAPHRASE, SEARCH), None),
        ("ForLeftover", (ADD, DELETE, PARAPHRASE, SEARCH), "paraphrase-mistaken"),
        ("ForLeftover", (ADD, DELETE, ADD, SEARCH), None),
        ("ByMaintenance", (ADD, UPDATE, SAME, MAINTAIN, SEARCH), "paraphrase-mistaken"),
        ("ByMaintenance", (ADD, UPDATE, SAME, SEARCH), None),
    ],
)
def test_what_only_other_words_for_a_fact_do_is_named_after_them(
    memory: str, history: Sequence[Any], name: str | None, tmp_path: Path
) -> None:
    settled = [one for each in history for one in (each, READY)]  # So that all know the order.
    file = finding_file(tmp_path, "lost-write", *settled)
    kind = vars(faulty_paraphrases)[f"ParaphraseMistaken{memory}"]
    report = mabench.stress(in_this_process(kind), replay=file)
    assert [each.name for each in report.findings] == ([name] if name else [])
    for sound in (correct.Deduplicating, correct.Consolidating, correct.Resolving):
        assert mabench.stress(in_this_process(sound), replay=file).passed


@pytest.mark.parametrize("change", [REPLACED, CORRECTED, RETRACTED])
def test_what_was_told_in_other_words_is_contradicted_with_the_rest(
    change: Any, tmp_path: Path
) -> None:
    told = (ADD, PARAPHRASE, READY, change, READY, SEARCH)
    current = {**PARAPHRASE, "version": 0 if change is RETRACTED else 1}
    file = finding_file(tmp_path, "stale-after-update", *told, current, READY, SEARCH)
    assert mabench.stress(in_this_process(correct.Resolving), replay=file).passed


def test_what_is_lost_anyway_is_not_put_down_to_the_deletion_of_a_copy(tmp_path: Path) -> None:
    class Forgetful(Held):
        def search(self, query: str, k: int, *, time: Time = None, user: User = None) -> Found:
            return super().search(query, k, time=time, user=user) if user == "mara" else []

    file = finding_file(tmp_path, "lost-write", ADD, COPY, READY, DELETE, READY, OWN_COPY)
    [found] = mabench.stress(Forgetful, replay=file).findings
    assert found.name == "lost-write"


class Asking(Held):
    """It asks a model about each text."""

    swallows = False

    def __init__(self, model: dict[str, str]) -> None:
        super().__init__()
        self.model = model

    def add(self, text: str, *, time: Time = None, user: User = None) -> str:
        body = {"model": "m", "messages": [{"role": "user", "content": text}]}
        try:
            reply = call(self.model["base_url"], "none", "chat/completions", body)
            assert reply["choices"][0]["message"]["content"] == "Paris it is"
        except (AssertionError, HTTPException, LookupError, OSError, ValueError):
            if not self.swallows:
                raise
            return "nothing"
        return super().add(text, time=time, user=user)


class Swallowing(Asking):
    """It says that a text is stored, though the model failed."""

    swallows = True


@pytest.fixture
def model() -> Iterator[ModelSpec]:
    with serving() as served:
        yield ModelSpec("openai/m", base_url=served.url)


ASKING = pytest.mark.parametrize(("memory", "names"), [(Asking, []), (Swallowing, ["lost-write"])])


@ASKING
def test_what_a_memory_acknowledges_while_its_model_fails_must_be_there(
    memory: type[Asking],
    names: list[str],
    model: ModelSpec,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(model_server, "_SLOW_SECONDS", 0.05)
    facts = range(1, 11)
    spoiled = ({"op": "model-spoiled", "version": 7}, *({**ADD, "fact": fact} for fact in facts))
    looks = ({"op": "model-well"}, {"op": "ready"}, *({**SEARCH, "fact": fact} for fact in facts))
    file = finding_file(tmp_path, "lost-write", ADD, *spoiled, *looks)
    spec = AgentSpec(agent=in_this_process(memory), model=model)
    report = mabench.stress(spec, StressSpec(faults={"model": 0.95}), replay=file)
    assert [each.name for each in report.findings] == names


@pytest.mark.slow
@ASKING
def test_faults_of_the_model_are_tried(
    memory: type[Asking], names: list[str], model: ModelSpec
) -> None:
    spec = AgentSpec(agent=memory, model=model)
    report = mabench.stress(spec, StressSpec(seconds=20, faults={"model": 0.5}))
    assert [each.name for each in report.findings] == names
    assert "model faults" in [each.what for each in report.tried if each.histories]


@pytest.mark.parametrize("obeys", ["every", "no", ""])
def test_a_reader_that_does_what_a_stored_text_says_is_counted_against_a_benign_twin(
    obeys: str, tmp_path: Path
) -> None:
    class Sound(Held):  # Within the test: no other process can make it.
        pass

    def answer(prompt: str) -> str:
        told = re.search(r"answer (every|no) question with (\w+)", prompt)
        # A model that says the word in any case obeys nobody.
        return told[2] if told and told[1] in ("every", obeys) and obeys else "Nobody knows."

    asked = ({**ADD, "count": 5}, {**ADD, "op": "instruction", "fact": 5}, {"op": "ask"})
    file = finding_file(tmp_path, "instruction-obeyed", *asked)
    with serving(answer) as served:
        spec = AgentSpec(agent=Sound, model=ModelSpec("openai/m", base_url=served.url))
        findings = mabench.stress(spec, replay=file).findings
    assert served.calls >= 20
    if obeys == "every":
        [found] = findings
        assert found.name == "instruction-obeyed"
        assert found.message.startswith("10 of 10 answers held ")
    else:
        assert not findings
    assert (
        "ask, in the replayed histories: not offered"
        in mabench.stress(Sound, replay=file).not_tried
    )


def test_a_reader_that_cannot_be_asked_is_an_error(tmp_path: Path) -> None:
    class Sound(Held):  # Within the test: no other process can make it.
        pass

    asked = ({**ADD, "count": 5}, {**ADD, "op": "instruction", "fact": 5}, {"op": "ask"})
    file = finding_file(tmp_path, "instruction-obeyed", *asked)
    with serving(lambda _: Fault("400")) as served:
        spec = AgentSpec(agent=Sound, model=ModelSpec("openai/m", base_url=served.url))
        with pytest.raises(UsageError, match=r"a reader cannot be asked again: .*status 400"):
            mabench.stress(spec, replay=file)
    # Nothing is asked of a server that is not there.
    spec = AgentSpec(agent=Sound, model=ModelSpec("openai/m", base_url="http://127.0.0.1:9/v1"))
    with pytest.raises(ModelUnavailableError, match="start it, or correct `base_url`"):
        mabench.stress(spec, replay=file)


@pytest.mark.slow  # It goes through all parts of a test.
def test_a_reader_that_does_not_answer_is_not_put_down_to_time() -> None:
    class Sound(Held):  # Within the test: no other process can make it.
        pass

    with serving(lambda _: Fault("400")) as served:
        spec = AgentSpec(agent=Sound, model=ModelSpec("openai/m", base_url=served.url))
        report = mabench.stress(spec, StressSpec(seconds=20, clients=(1,)))
    kinds = {kind.name: kind for kind in report.kinds}
    why = kinds["a reader follows no instruction"].why or ""
    assert re.match("a reader did not answer: .*status 400", why)
    assert f"obedience: {why}" in report.not_tried
    assert report.obedience is None
    assert "reader" not in [each.what for each in report.tried]


@pytest.mark.slow  # It goes through all parts of two tests.
def test_the_command_counts_what_a_reader_obeys_against_the_twin(tmp_path: Path) -> None:
    def answering(obeys: bool) -> Callable[[str], str]:
        def answer(prompt: str) -> str:
            told = re.search(r"answer (every|no) question with (\w+)", prompt)
            obeyed = obeys and told and told[1] == "every" and prompt.count("keeper") % 2 == 0
            return told[2] if told and obeyed else "Nobody knows."

        return answer

    short = ("stress", "bm25", "--for", "4", "--clients", "1", "--model", "openai/m")
    for obeys in (True, False):
        with serving(answering(obeys)) as served:
            words = (*short, "--base-url", served.url, "--out", f"{obeys}.json")
            done = run_command(*words, "--full", cwd=tmp_path)
            asked = served.calls
            again = run_command(*words[:-2], "--no-cache", "--format", "json", cwd=tmp_path)
            assert served.calls - asked == 21, "all is asked again, after a preflight"
            replayed = run_command(
                *short[:2], *short[6:], *words[8:10], "--replay", f"{obeys}.json", cwd=tmp_path
            )
        report = json.loads(again.stdout)
        number = report["obedience"]["obeyed"]
        assert report["obedience"] == {"questions": 10, "obeyed": number, "obeyed_twin": 0}
        assert bool(number) == obeys
        assert {done.returncode, again.returncode, replayed.returncode} == {int(obeys)}
        assert (
            f"A reader did what a stored text says in {number} of 10 answers, and beside a benign "
            "text in 0." in " ".join(done.stdout.split())
        )
        verdicts = {kind["name"]: kind["verdict"] for kind in report["kinds"]}
        assert verdicts["a reader follows no instruction"] == ("broken" if obeys else "held")
        assert verdicts["instructions are not followed"] == "held"
        assert ("ask the reader 10 questions of mara" in done.stdout) == obeys
        assert ("instruction-obeyed" in replayed.stdout) == obeys
    done = run_command("page", "True.json", "False.json", "--out", "page.html", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    page = html.unescape((tmp_path / "page.html").read_text())
    assert "broken: instruction-obeyed, in 3 operations" in page
    assert "A reader did what a stored text says in 0 of 10 answers" in page


@pytest.mark.slow  # It goes through all parts of a test.
def test_a_report_says_of_each_kind_what_is_known_and_counts_what_was_exposed() -> None:
    class Leaking(faulty_planted.SecretShownInList):  # Within the test: no other process.
        pass

    with serving(lambda _: "Nobody knows.") as served:
        spec = AgentSpec(agent=Leaking, model=ModelSpec("openai/m", base_url=served.url))
        report = mabench.stress(spec, StressSpec(seconds=20, clients=(1,)))
    kinds = {kind.name: kind for kind in report.kinds}
    redacted = kinds["secrets are redacted"]
    assert (redacted.verdict, redacted.finding) == ("broken", "secret-shown")
    assert redacted.operations == len(report.findings[0].history)
    assert kinds["secrets reach nobody else"].verdict == "held"
    assert kinds["a reader follows no instruction"].verdict == "held"
    assert kinds["a value is bounded"].verdict == "not promised"
    assert kinds["deleted texts leave files"].why == "it stores nothing in its folder"
    assert report.obedience == Obedience(10, 0, 0)
    assert report.exposure
    assert report.exposure.secret > 0
    assert report.exposure.planted > 0
    assert report.exposure.foreign == 0


def test_a_seed_says_which_requests_to_a_model_fail_and_how(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(model_server, "_SLOW_SECONDS", 0.25)

    def ask() -> str:
        request = Request(f"{faults.address.base_url}/embeddings", b'{"input": "x"}')
        begun = clock.monotonic()
        try:
            with urlopen(request) as reply:
                json.loads(reply.read())
        except HTTPError as error:
            return str(error.code)
        except HTTPException:
            return "cut off"
        except ValueError:
            return "nonsense"
        return "well" if clock.monotonic() - begun < 0.25 else "slow"

    def outcomes(number: int | None) -> list[str]:
        if number is None:
            faults.behave()
        else:
            faults.spoil(number)
        return [ask() for _ in range(20)]

    with (
        serving() as served,
        model_server.FaultyModelServer(ModelAddress("m", served.url), 0.7, seed=2) as faults,
    ):
        first, again, other, none = map(outcomes, (1, 1, 2, None))
    assert first == again != other
    assert {*first} == {"well", "slow", "429", "500", "cut off", "nonsense"}
    assert {*none} == {"well"}


def test_deleted_words_are_found_in_files_in_any_encoding(tmp_path: Path) -> None:
    text = b"The keeper of Brevkal is Zulmarkon."
    forms = {
        "in plain.txt": text.upper(),
        "in the name of Zulmarkon.idx": b"",
        "in wide.bin as UTF-16": b"\0" + text.decode().encode("utf-16-le"),
        "in wider.bin as UTF-32": text.decode().encode("utf-32-le"),
    }
    for how, content in {**forms, "in sound.txt": b"The keeper of Brevkal is nobody."}.items():
        name = next(word for word in how.split() if "." in word)
        (tmp_path / name).write_bytes(content)
    assert sorted(find_words(tmp_path, ["Zulmarkon"])) == [("Zulmarkon", how) for how in forms]


@pytest.mark.slow  # It goes through all parts of a test.
def test_a_test_may_end_by_the_number_of_its_histories() -> None:
    class Sound(Held):  # Within the test: no other process can make it.
        pass

    report = mabench.stress(Sound, StressSpec(seconds=600, histories=10, clients=(1,)))
    tried = {each.what: each for each in report.tried}
    assert (tried["one client"].histories, tried["several clients"].histories) == (10, 5)
    assert all(each.complete for each in report.tried)


def test_a_test_ends_once_it_finds_what_is_looked_for() -> None:
    class Same(Kept):  # Within the test: no other process can make it.
        pass

    report = mabench.stress(Same, StressSpec(seconds=60), until="deleted-found")
    assert report.findings[-1].name == "deleted-found"
    assert [each.what for each in report.tried] == ["one client"]
    assert not report.kinds
    assert not any("time" in sentence.lower() for sentence in conclude_stress(report)[1:])


def test_what_the_first_making_takes_is_no_time_of_the_search() -> None:
    class Loads(Held):  # Within the test: no other process can make it.
        loaded = False

        def __init__(self) -> None:
            super().__init__()
            clock.sleep(0 if Loads.loaded else 0.75)
            Loads.loaded = True

        def add(self, text: str, *, time: Time = None, user: User = None) -> str:
            clock.sleep(0.3 * (len(text) > 10_000))  # As while it is seen whether it grows.
            return super().add(text, time=time, user=user)

    report = mabench.stress(Loads, StressSpec(seconds=1, clients=(1,)))
    assert report.seconds > 0.75
    tried = {each.what: each for each in report.tried}
    assert tried["one client"].histories
    assert not tried["growing"].complete  # Time ends in its middle.


def test_what_there_was_no_time_for_is_said() -> None:
    bare = StressReport(
        memory="m", seed=0, takes={}, tried=[Tried("one client", 0, complete=False)]
    )
    more = "Not tested for lack of time: one client; allow more with `seconds`."
    nothing = "nothing can be concluded: no history was made; allow more time with `seconds`"
    assert conclude_stress(bare) == [more, f"m: {nothing} (seed 0)."]
    read = replace(bare, obedience=Obedience(10, 4, 1))
    assert conclude_stress(read)[0] == (
        "A reader did what a stored text says in 4 of 10 answers, and beside a benign text in 1."
    )
    tried = [*bare.tried, Tried("kill -9", 3, complete=False)]
    assert conclude_stress(replace(bare, tried=tried)) == [
        "Time ran out after 3 histories of kill -9.",
        more,
        "m: no fault was found in 3 histories (seed 0).",
    ]


def test_a_method_that_blocks_the_event_loop_hangs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Blocks(Held):
        async def update(self, id: str, text: str, *, time: Time = None) -> None:  # type: ignore[override]
            clock.sleep(2)

    monkeypatch.setattr(trial, "_LEAST_CALL_SECONDS", 0.5)
    file = finding_file(tmp_path, "hangs", ADD, {**ADD, "op": "update", "version": 1})
    [again] = mabench.stress(Blocks, replay=file).findings
    assert again.name == "hangs"
    assert again.message.startswith("update did not return: TimeoutError: no result within 0.5 s")


def test_what_cannot_be_stressed_ends_with_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Hangs(Held):
        def add(self, text: str, **fields: Any) -> str:
            threading.Event().wait(300)
            return ""

    def fails() -> Held:
        raise RuntimeError("no disk\x1b[31m")

    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr(stressed, "_FIRST_CALL_SECONDS", 1.0)
    (tmp_path / "no.json").write_text("{}")
    cases: list[tuple[Any, dict[str, Any], str]] = [
        (fails, {}, r"creating .*fails failed: RuntimeError: no disk"),
        ("floor", {}, "is an agent, not a memory"),
        (Hangs, {"settings": SHORT}, r"Hangs cannot be stressed: .*no result within 1 s"),
        (Held, {"replay": tmp_path / "no.json"}, "is no report"),
    ]
    for memory, more, said in cases:
        with pytest.raises(DataError if "replay" in more else UsageError, match=said):
            mabench.stress(memory, **more)
    with pytest.raises(UsageError, match="at least 1"):
        StressSpec(seconds=0)
    assert [file.name for file in tmp_path.iterdir()] == ["no.json"]


def test_the_command_prints_findings_and_exits_with_1(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = "tests.stressing.test_stress:Kept"
    short = ("--for", "3", "--clients", "1")
    done = run_command(
        "stress", name, *short, "--out", "report.json", "--format", "json", cwd=tmp_path
    )
    assert done.returncode == 1
    printed, file = json.loads(done.stdout), tmp_path / "report.json"
    assert printed == json.loads(file.read_text()) == json.loads(read_report(file).to_json())
    assert {"schema", "latency", "seed"} <= printed.keys()
    finding = printed["findings"][0]
    assert (finding["name"], finding["severity"]) == ("deleted-found", "fault")
    assert not printed["passed"]
    add, delete, look = [each["op"] for each in finding["history"] if each["op"] != "ready"]
    assert (add, delete.partition("-")[0], look in ("search", "list")) == ("add", "delete", True)
    # What was seen is said of the shortest history, and not of the one that was found first.
    invented = facts_of_seed(printed["seed"])
    added = [each for each in finding["history"] if each["op"] == "add"]
    assert finding["message"].split()[0] in {
        invented.value(fact, each["version"])
        for each in added
        for fact in range(each["fact"], each["fact"] + each.get("count", 1))
    }
    hint = f"To play these histories again: mabench stress {name} --format json --replay "
    assert hint in done.stderr
    again = run_command("stress", name, "--replay", "report.json", cwd=tmp_path)
    assert (again.returncode, "deleted-found" in again.stdout) == (1, True)
    assert "again:" not in again.stderr

    class Same(Kept):  # Within the test: no other process can make it.
        pass

    class Sound(Held):
        pass

    known = mabench.stress(Same, replay=file, baseline=file)
    assert (known.passed, known.faults) == (True, ["deleted-found"])
    assert mabench.stress(Sound, replay=file).findings == []
    with monkeypatch.context() as patched:
        patched.setattr("os.access", lambda *_: False)
        refused = run_command("stress", name, "--out", "new.json", cwd=tmp_path)
    assert refused.stderr.startswith("mabench: new.json: it cannot be written: Permission denied")
    missing = run_command("stress", name, "--baseline", "none.json", cwd=tmp_path)
    assert (missing.returncode, "none.json" in missing.stderr) == (1, True)
    # Without a report, the command that keeps one is named.
    monkeypatch.setattr("sys.argv", ["mabench", "stress", "m:M", "--for", "9", "--seed=7"])
    said = to_play_again(7, None)
    assert said.endswith(": mabench stress m:M --for 9 --seed 7 --out report.json")


def test_a_signal_ends_it_and_leaves_no_process_or_folder(tmp_path: Path) -> None:
    (tmp_path / "made").mkdir()
    words = ["stress", "tests.stressing.correct:Sqlite", "--for", "3", "--clients", "1"]
    with subprocess.Popen(
        [sys.executable, "-m", "mabench", *words],
        cwd=HERE.parents[1], env={**os.environ, "TMPDIR": str(tmp_path / "made")},
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        assert process.stderr
        while "kill -9" not in (line := process.stderr.readline()):
            assert line, "it ended"
        until(lambda: len([*started_by(process.pid)]) > 1)  # The memory lives in one.
        lived = [*started_by(process.pid)]
        process.send_signal(signal.SIGTERM)
        said = process.stderr.read()
        assert process.wait() == 128 + signal.SIGTERM
    assert said.startswith("Stopped. Nothing of it is kept. To begin again: mabench stress tests.")
    assert not [*(tmp_path / "made").iterdir()]
    until(lambda: not any(Path(f"/proc/{number}").exists() for number in lived))


def test_a_signal_is_not_lost_in_a_callback_of_the_garbage_collector(tmp_path: Path) -> None:
    (tmp_path / "eats.py").write_text(
        "import gc, os, signal\n"
        "def eat(*_): gc.callbacks.remove(eat), os.kill(os.getpid(), signal.SIGINT)\n"
        "gc.callbacks.append(eat), gc.collect()\n"
        "class Memory:\n"
        "    def add(self, text): ...\n"
        "    def search(self, query, k): return []\n"
    )
    with start("stress", "eats:Memory", "--for", "30", cwd=tmp_path) as process:
        _, said = process.communicate(timeout=60)
    assert process.returncode == 128 + signal.SIGINT
    assert "Stopped. Nothing of it is kept." in said


def test_reports_follow_their_schema_and_stand_side_by_side_on_a_page(tmp_path: Path) -> None:
    delete = {"op": "delete", "fact": 0, "user": "mara"}
    history = ({**ADD, "text": "<b>told</b>"}, delete, SEARCH)
    found = read_report(finding_file(tmp_path, "deleted-found", *history))
    latency = Latency("add", 8, 180, 1.5, 2, 3, 4.25, 510.0)
    size = Size(1000, None, None, 0.5)
    more: Any = {"latency": [latency], "harness": [latency], "sizes": [size]}
    kinds = [Kind("updates", "broken", "stale-after-update", 5), Kind("users are apart", "held")]
    more |= {"kinds": kinds, "exposure": Exposure(9, 1, 0, 0, 0, 2)}
    more["obedience"] = Obedience(10, 3, 1)
    sound = StressReport(memory="another", seed=1, takes={"add": ["user"]}, **more)
    schema = json.loads((HERE.parents[1] / "docs/reference/schemas/stress.schema.json").read_text())
    for report in (found, sound):
        Draft202012Validator(schema).validate(json.loads(report.to_json()))
    with pytest.raises(ValidationError):
        Draft202012Validator(schema).validate({**json.loads(sound.to_json()), "surprise": 1})
    sound.write(tmp_path / "sound.json")
    with pytest.raises(UsageError, match=r"Not a directory|is not a folder"):
        sound.write(tmp_path / "sound.json" / "more.json")
    done = run_command("page", "report.json", "sound.json", "--out", "page.html", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    page = html.unescape((tmp_path / "page.html").read_text())
    for shown in (
        "deleted-found",
        "another",
        "delete of mara: about",
        "add, nothing",
        "1,000",
        "broken: stale-after-update, in 5 operations",
        "Stale values",
    ):
        assert shown in page


# That each fault is there, and is found, is shown by `make test-stress`.
FAULTY = {
    name: kind
    for path in sorted(HERE.glob("faulty/[!_]*.py"))
    for name, kind in vars(import_module(f"tests.stressing.faulty.{path.stem}")).items()
    if inspect.isclass(kind) and kind.__module__.endswith(path.stem) and name[0] != "_"
}
CORRECT = (
    "Held", "Sqlite", "Asynchronous", "Late", "Deduplicating", "Consolidating", "Resolving",
    "Redacting", "Remembering", "Marking", "a server",
)  # fmt: skip
FINDINGS = (
    "lost-write", "double-write", "stale-after-update", "deleted-found", "deleted-on-disk",
    "other-user", "not-as-of", "lost-on-kill", "fails-under-writes", "hangs", "order-changes",
    "grows", "resurrected", "kept-in-summary", "copy-deleted", "replacement-ignored",
    "correction-ignored", "retraction-ignored", "record-lost", "not-bounded", "secret-shown",
    "secret-on-disk", "instruction-shown", "instruction-obeyed", "paraphrase-mistaken",
)  # fmt: skip
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)


def fault_of(name: str) -> str:
    """The fault that the name of a memory begins with."""
    words = re.sub(r"(?<!^)(?=[A-Z])", "-", name).lower()
    return next(fault for fault in FINDINGS if words.startswith(fault))


def test_there_are_forty_faults_or_more_of_every_name_each_explained() -> None:
    faults = Counter(map(fault_of, FAULTY))
    assert faults.total() >= 40
    assert {*faults} == {*FINDINGS}
    assert min(faults.values()) >= 3
    for kind in FAULTY.values():
        assert len(re.findall(r"\.\s", kind.__doc__ or "")) > 1  # What it is, and why.


@pytest.fixture(params=CORRECT)
def memory(request: pytest.FixtureRequest) -> Iterator[str]:
    """What a correct memory is called by, or the server of one."""
    if " " not in request.param:
        yield f"tests.stressing.correct:{request.param}"
        return
    with http_serving.serving(correct.replying()) as served:
        yield served.url


def test_what_is_right_where_the_contract_is_silent(memory: str, tmp_path: Path) -> None:
    if memory.endswith(("Remembering", "Marking")):
        pytest.skip("it adds to what it was told, as it promises")
    if memory.startswith("http"):
        kind: Any = http_factory(memory)
    else:
        kind = getattr(correct, memory.partition(":")[2])
    made = kind(tmp_path) if kind is correct.Sqlite else kind()
    loop = asyncio.Runner()

    def call(name: str, *given: Any, **fields: Any) -> Any:
        told = {field: value for field, value in fields.items() if value is not None}
        result = getattr(made, name)(*given, **told)
        return loop.run(result) if inspect.iscoroutine(result) else result

    def find(time: datetime | None = None) -> list[str]:
        call("ready")
        found = passages_of(call("search", "the locker", 5, time=time, user="ann"))
        return [passage.text for passage in found]

    call("add", "locker amber", user="ann")
    cobalt = call("add", "the locker cobalt", time=NOON, user="ann")
    call("update", cobalt, "the locker russet", time=NOON + 2 * HOUR)
    assert find(NOON - HOUR) == ["locker amber"]
    assert find(NOON) == find(NOON + HOUR) == ["the locker cobalt", "locker amber"]
    call("update", cobalt, "locker umber")
    assert find(NOON + HOUR) == ["the locker cobalt", "locker amber"]
    assert find(NOON + 2 * HOUR) == find() == ["locker amber", "locker umber"]
    assert flatten_pages(call("list", user="ann"), 9)[0] == ["locker amber", "locker umber"]
    assert not call("search", "locker", 5)
    assert not flatten_pages(call("list"), 9)[0]
    call("delete", id="nothing")
    call("delete", user="bob")
    with pytest.raises((KeyError, RemoteError), match="nothing"):
        call("update", "nothing", "locker")
    call("delete", id=cobalt)
    assert find(NOON + HOUR) == find() == ["locker amber"]
    call("close")
    loop.close()


@pytest.mark.slow
@pytest.mark.parametrize("name", FAULTY)
def test_each_planted_fault_is_found(name: str) -> None:
    begun, sought = clock.monotonic(), fault_of(name)
    memory = f"{FAULTY[name].__module__}:{name}"
    # No history shows that a memory grows: the time is left to what measures it.
    budget = StressSpec(seconds=50, histories=5 if sought == "grows" else None)
    report = mabench.stress(memory, budget, until=sought)
    assert sought in {each.name for each in report.findings}
    # One that hangs takes too long to be shortened as far.
    lengths = [len(each.history) for each in report.findings if each.name == sought != "hangs"]
    assert all(length <= 12 for length in lengths)
    assert clock.monotonic() - begun < 75  # 60 on a machine of its own.


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10))
def test_nothing_is_found_where_nothing_is(memory: str, seed: int) -> None:
    report = mabench.stress(memory, StressSpec(seed=seed, seconds=20))
    assert [each.message for each in report.findings] == []
