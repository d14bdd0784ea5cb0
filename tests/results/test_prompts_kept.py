"""What models were shown is kept once, in a compressed file, and read back by its hash."""

import gzip
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mabench
from mabench.contract import Answer
from mabench.errors import DataError
from mabench.results import RunFolder
from mabench.results.records.prompts import PromptFile
from tests import parts
from tests.rows import dataset
from tests.runs.agents import Oslo

_TEXTS = st.lists(st.text(max_size=40), max_size=12)


@settings(max_examples=50, deadline=None)
@given(st.text(max_size=200), _TEXTS)
def test_every_prompt_is_read_back(
    tmp_path_factory: pytest.TempPathFactory, start: str, ends: list[str]
) -> None:
    file = tmp_path_factory.mktemp("prompts") / "prompts.jsonl.gz"
    prompts = PromptFile(file)
    texts = [f"{start}{end}" for end in ends] + ends
    names = [prompts.keep(text) for text in texts]
    read = PromptFile(file).read({*names})
    shown = [text.encode("utf-8", "replace").decode().replace("?", "") for text in texts]
    assert [read[name].replace("\ufffd", "").replace("?", "") for name in names] == shown


def test_a_prompt_is_stored_once_and_a_shared_beginning_too(tmp_path: Path) -> None:
    file = tmp_path / "prompts.jsonl.gz"
    history = "".join(f"{number} is a fact of its own. " for number in range(20_000))
    prompts = PromptFile(file)
    names = {prompts.keep(f"{history} What?")}
    first = file.stat().st_size
    for number in range(50):
        names.add(prompts.keep(f"{history} Question {number}?"))
    assert file.stat().st_size < first + 50 * 200
    again = PromptFile(file)
    again.keep(f"{history} What?")
    assert len(again.read(names)) == 51
    # Compressed again, as one member, and with other line ends.
    content = gzip.decompress(file.read_bytes()).replace(b"\n", b"\r\n")
    file.write_bytes(gzip.compress(content))
    assert {*again.read(names)} == names


@pytest.mark.parametrize("torn", [1, 10, 30])
def test_a_torn_end_hides_nothing_else_and_what_follows_is_read(tmp_path: Path, torn: int) -> None:
    file = tmp_path / "prompts.jsonl.gz"
    prompts = PromptFile(file)
    kept = prompts.keep("the first prompt")
    second = prompts.keep("the second prompt")
    whole = file.read_bytes()
    file.write_bytes(file.read_bytes()[:-torn])
    assert {*PromptFile(file).read({kept, second})} == {kept}
    resumed = PromptFile(file)
    third = resumed.keep("the third prompt")
    read = resumed.read({kept, second, third})
    assert read == {kept: "the first prompt", third: "the third prompt"}
    assert whole[:-torn].endswith((tmp_path / "prompts.jsonl.gz.damaged").read_bytes())
    assert not (tmp_path / "damaged.jsonl").exists(), "a stop is no damage"


def test_what_cannot_be_read_of_the_prompts_is_set_aside_and_named(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path)
    prompts = PromptFile(tmp_path / "prompts.jsonl.gz")
    names = {prompts.keep("the first prompt")}
    first = prompts.path.read_bytes()
    rest = gzip.compress(b"no prompt") + gzip.compress(b"another")
    prompts.path.write_bytes(first + rest)
    names.add(PromptFile(prompts.path).keep("the third prompt"))
    assert len(folder.prompts(names)) == 2
    assert (tmp_path / "prompts.jsonl.gz.damaged").read_bytes() == rest
    (damage,) = map(str, folder.damaged())
    assert "prompts.jsonl.gz, line 2 could not be read and was set aside" in damage


@pytest.mark.parametrize("members", [1, 40])
def test_prompts_that_expand_to_too_much_are_refused(
    tmp_path: Path, members: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mabench.results.records.prompts._MOST", 1 << 20)
    line = b'{"prompt": "a", "text": "%s"}\n' % (b"a" * ((1 << 21) // members))
    file = tmp_path / "prompts.jsonl.gz"
    file.write_bytes(gzip.compress(line) * members)
    for use in (lambda: PromptFile(file).keep("another"), lambda: PromptFile(file).read({"a"})):
        with pytest.raises(
            DataError,
            match=r"prompts\.jsonl\.gz: not readable: .*too large when decompressed; move",
        ):
            use()


def test_samples_name_the_prompt_that_an_agent_reports_and_the_chunks_with_an_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Oslo, "answer", lambda _, query: Answer("no", prompt=f"I know: {query}"))
    run = mabench.run(Oslo, dataset(), out=tmp_path / "run")
    prompts = run.store.prompts({sample.prompt or "" for sample in run.samples()})
    for sample in run.samples():
        assert sample.prompt is not None
        assert prompts[sample.prompt].startswith("I know: ")
        assert sample.question in prompts[sample.prompt]
    run = parts.run("no-memory", dataset(), out=tmp_path / "other", chunk_tokens=8)
    by_question = {sample.question: sample for sample in run.samples()}
    assert by_question["Where does Bob live?"].gold_chunks
    assert by_question["What is old?"].gold_chunks
    assert by_question["Where does Bob live?"].prompt is None
