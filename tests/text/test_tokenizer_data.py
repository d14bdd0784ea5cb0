import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from mabench.errors import MissingPackageError
from mabench.families import family_of
from mabench.injection import _published_chunks, protocol_named
from mabench.text import tokenizer_data

RULER = family_of("ruler_qa1_197K")

pytest.importorskip("tiktoken", reason="the published chunker takes the extra 'paper'")


@pytest.fixture
def bare_machine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Path]:
    """A machine on which no tokenizer data can be found; yields our cache folder."""
    import nltk

    for name in ("TIKTOKEN_CACHE_DIR", "DATA_GYM_CACHE_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("MABENCH_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr("tempfile.gettempdir", lambda: str(tmp_path))
    monkeypatch.setattr(tokenizer_data, "_packaged", lambda package, inside: [])
    monkeypatch.setattr(nltk.data, "path", [])
    tokenizer_data.load_encoding.cache_clear()
    tokenizer_data.load_punkt.cache_clear()
    yield tmp_path / "cache"
    tokenizer_data.load_encoding.cache_clear()
    tokenizer_data.load_punkt.cache_clear()


@pytest.mark.usefixtures("bare_machine")
def test_without_data_errors_say_what_to_do_and_structured_works() -> None:
    with pytest.raises(MissingPackageError, match=r"pip install .*\[paper\]'"):
        protocol_named("paper").chunks(RULER, "Some text.", offline=True)
    with pytest.raises(MissingPackageError, match=r"o200k_base.*`protocol` structured"):
        tokenizer_data.load_encoding(offline=True)
    structured = protocol_named("structured")
    assert structured.chunks(RULER, "Some text.", offline=True) == ["Some text."]


def test_punkt_is_copied_out_of_a_package_that_ships_it(
    bare_machine: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.undo()
    packaged = tokenizer_data._packaged("llama_index.core", "_static/nltk_cache")
    if not packaged:
        pytest.skip("no package that ships Punkt is installed")
    monkeypatch.setenv("MABENCH_CACHE", str(tmp_path / "fresh"))
    monkeypatch.setattr("nltk.data.path", [])
    with ThreadPoolExecutor(8) as rows:  # Rows of a run are cut at the same time.
        cut = rows.map(lambda _: _published_chunks("Dr. Lee left. Ann stayed.", 5), range(8))
    assert [*cut] == [["Dr. Lee left.", "Ann stayed."]] * 8
    assert (tmp_path / "fresh" / "nltk_data" / "tokenizers").is_dir()


def test_the_environment_is_left_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TIKTOKEN_CACHE_DIR", raising=False)
    tokenizer_data.load_encoding.cache_clear()
    tokenizer_data.load_encoding(offline=True)
    assert "TIKTOKEN_CACHE_DIR" not in os.environ
