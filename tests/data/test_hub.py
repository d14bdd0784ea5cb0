import hashlib
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import huggingface_hub
import pytest
from huggingface_hub.errors import LocalEntryNotFoundError

from mabench.data import load_entities, open_dataset
from mabench.data.inventory import HUB_ID, REVISION
from mabench.data.reading import hub
from mabench.errors import DataError
from mabench.installation import cache_folder
from mabench.loading import validate
from tests.command_line import within
from tests.data.samples import ENTITIES, valid_rows, write_hub
from tests.remote.mcp_serving import free_port

TOKEN = "hf_secretsecret"


class FakeHub:
    """Serves the files of a small data set, and counts what is asked of it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.asked: list[str] = []
        self.failure: Exception | None = None
        self.change: Callable[[bytes], bytes] = lambda content: content

    def hf_hub_download(self, repo_id: str, filename: str, **options: Any) -> str:
        assert (repo_id, options["repo_type"], options["revision"]) == (HUB_ID, "dataset", REVISION)
        self.asked.append(filename)
        if self.failure is not None:
            raise self.failure
        path = Path(options["local_dir"]) / filename
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(self.change((self.folder / filename).read_bytes()))
        return str(path)


@pytest.fixture
def fake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeHub]:
    """A hub behind an address that answers, and no proxy."""
    folder = write_hub(tmp_path / "hub", valid_rows())
    contents = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    files = tuple(
        hub.HubFile(str(path.relative_to(folder)), len(each), hashlib.sha256(each).hexdigest())
        for path, each in sorted(contents.items())
    )
    served = FakeHub(folder)
    monkeypatch.setattr(hub, "FILES", files)
    monkeypatch.setattr(huggingface_hub, "hf_hub_download", served.hf_hub_download)
    monkeypatch.setenv("MABENCH_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("HF_TOKEN", TOKEN)
    for name in ("HF_HUB_OFFLINE", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)
    with ThreadingHTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,)).start()
        address = f"http://127.0.0.1:{server.server_port}"
        monkeypatch.setattr(huggingface_hub.constants, "ENDPOINT", address)
        yield served
        server.shutdown()


def test_files_are_downloaded_once_and_then_used_without_a_hub(
    fake: FakeHub, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    dataset = open_dataset("hub")
    assert len(fake.asked) == 5
    assert (dataset.name, dataset.location, dataset.revision) == ("hub", "hub", REVISION)
    assert dataset.entities == ENTITIES
    assert dataset.fingerprint == open_dataset(valid_rows()).fingerprint
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    for offline in (False, True):
        assert open_dataset("hub", offline=offline).fingerprint == dataset.fingerprint
    assert len(fake.asked) == 5
    assert isinstance(dataset.entity_ids, Path)
    assert dataset.entity_ids.is_relative_to(tmp_path / "cache")
    monkeypatch.delenv("MABENCH_CACHE", raising=False)
    assert cache_folder().name == "mabench"


def test_a_corrupted_download_is_deleted_and_reported(fake: FakeHub) -> None:
    changes: list[Callable[[bytes], bytes]] = [lambda b: b[:-1], lambda b: b"x" + b[1:]]
    for change in changes:
        fake.change = change
        with pytest.raises(DataError, match=r"^.* as downloaded .* deleted: try again"):
            open_dataset("hub")
        assert not list(cache_folder().rglob("*.parquet"))
    fake.change = lambda content: content
    assert list(open_dataset("hub"))


def test_a_cached_file_that_went_bad_is_downloaded_again_and_none_offline(
    fake: FakeHub, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(DataError, match=r"offline, and .* is missing; run once without `offline`"):
        open_dataset("hub", offline=True)
    for value in ("1", "true", "ON", "yes"):
        monkeypatch.setenv("HF_HUB_OFFLINE", value)
        with pytest.raises(DataError, match="synthetic:small"):
            open_dataset("hub")
    monkeypatch.delenv("HF_HUB_OFFLINE")
    assert fake.asked == []
    (problem,) = validate("hub", offline=True)
    assert (problem.severity, problem.file) == ("error", "hub")
    open_dataset("hub")
    (entities,) = cache_folder().rglob("entity2id.json")
    entities.write_bytes(b"x" * fake.folder.stat().st_size)
    with pytest.raises(DataError, match=r"offline, and .*entity2id\.json is"):
        open_dataset("hub", offline=True)
    fake.asked.clear()
    open_dataset("hub")
    assert fake.asked == ["entity2id.json"]


def test_a_hub_out_of_reach_is_one_line_without_the_token(fake: FakeHub) -> None:
    for failure in (
        OSError(f"cannot connect with {TOKEN}"),
        ConnectionError(f"bearer {TOKEN}\nsecond line"),
        LocalEntryNotFoundError(TOKEN),
        PermissionError(13, f"no {TOKEN}"),
    ):
        fake.failure = failure
        said = f"^.*{type(failure).__name__}.*`offline`.*local folder.*synthetic:small$"
        with pytest.raises(DataError, match=said) as error:
            open_dataset("hub")
        assert TOKEN not in str(error.value)
        assert (error.value.__cause__, error.value.__suppress_context__) == (None, True)


@pytest.mark.parametrize("lacking", ["a listener", "a reply", "the end of a look-up"])
def test_without_a_network_one_line_comes_at_once(
    fake: FakeHub, monkeypatch: pytest.MonkeyPatch, lacking: str
) -> None:
    done = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = free_port() if lacking == "a listener" else silent.getsockname()[1]
        said = "refused" if lacking == "a listener" else "no reply in 1 s"
        monkeypatch.setattr(huggingface_hub.constants, "ENDPOINT", f"http://127.0.0.1:{port}")
        monkeypatch.setattr(hub, "REPLY_SECONDS", 1)
        if lacking == "the end of a look-up":
            monkeypatch.setattr(socket, "create_connection", lambda *_, **more: done.wait(3600))
        line = f"^no network: 127.0.0.1 cannot.*{said}.*`data`.*MABENCH_CACHE.*synthetic:small$"
        with within(600), pytest.raises(DataError, match=line):
            open_dataset("hub")
        done.set()
    assert fake.asked == []


def test_the_pinned_files_are_those_of_the_data_set_card(real_data: Path) -> None:
    assert len(hub.FILES) == 5
    (entities,) = [file for file in hub.FILES if file.path == "entity2id.json"]
    assert entities.fault(real_data) is None
    assert len(load_entities(real_data / "entity2id.json")) == 31_161
