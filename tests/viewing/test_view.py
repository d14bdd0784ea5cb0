"""`mabench view` and the index: what is served to whom, and what is never served."""

import http.client
import json
import threading
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

import mabench
from mabench.page.index_pages import index_page
from mabench.results import ListedRun, Mark, MarkKind, Run, list_runs
from mabench.viewing import ViewedFolder, ViewServer
from mabench.viewing.contents import id_of
from tests.command_line import mabench as run_mabench
from tests.command_line import succeed
from tests.rows import dataset

pytest.importorskip("vl_convert")

Reply = tuple[int, dict[str, str], str]


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with two runs and one that is damaged, and a secret beside the folder."""
    place = tmp_path_factory.mktemp("view")
    (place / "secret.txt").write_text("the secret")
    for name in ("one", "two"):
        mabench.run("no-memory", dataset(), out=place / "runs" / "deep" / name)
    (place / "runs" / "broken").mkdir()
    (place / "runs" / "broken" / "run.json").write_text("[]")
    return place / "runs"


@pytest.fixture(scope="module")
def server(runs: Path) -> Iterator[ViewServer]:
    """The server, in a thread."""
    with ViewServer(ViewedFolder(runs)) as served:
        thread = threading.Thread(target=served.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        yield served
        served.shutdown()
        thread.join()


def ask(
    server: ViewServer,
    path: str,
    method: str = "GET",
    body: str | bytes | None = None,
    **headers: str,
) -> Reply:
    place = urlsplit(server.address)
    connection = http.client.HTTPConnection(place.hostname or "", place.port, timeout=20)
    try:
        given = {name.replace("_", "-"): value for name, value in headers.items()}
        connection.request(method, path, body, given)
        reply = connection.getresponse()
        return reply.status, dict(reply.getheaders()), reply.read().decode()
    finally:
        connection.close()


def own(server: ViewServer, path: str = "") -> str:
    return urlsplit(server.address).path + path


def _name(runs: Path, folder: str) -> str:
    (run,) = [one for one in list_runs(runs) if one.folder.endswith(folder)]
    return id_of(run)


def test_the_index_lists_all_runs_and_links_those_that_can_be_shown(
    server: ViewServer, runs: Path
) -> None:
    status, headers, text = ask(server, own(server))
    assert status == 200
    assert headers["Cache-Control"] == "no-store"
    assert f'href="run/{_name(runs, "one")}"' in text
    assert "deep/" in text
    assert "damaged" in text
    assert text.count('href="run/') == 2
    assert "connect-src 'self'" in text
    progress = json.loads(ask(server, own(server, "live"))[2])
    assert {one["name"]: one["asked"] for one in progress} == {
        "deep/one": "5 of 5", "deep/two": "5 of 5", "broken": "0 of 0",
    }  # fmt: skip


def test_a_run_has_its_page_which_is_made_once(server: ViewServer, runs: Path) -> None:
    path = own(server, f"run/{_name(runs, 'one')}")
    status, _, text = ask(server, path)
    assert status == 200
    assert "no-memory" in text
    assert ask(server, path)[2] == text


@pytest.mark.parametrize(
    "path",
    [
        "/", "/x/", "/../secret.txt", "//", "/%2e%2e/secret.txt", "{token}", "run/..%2f..%2fsecret",
        "run/../../secret.txt", "../secret.txt", "run/", "run/x", "live/", "mark/x",
        "run/%00", "run/{name}/", "?token={token}", "index.html", "run/" + "a" * 60_000,
    ],
)  # fmt: skip
def test_no_other_address_shows_anything(server: ViewServer, runs: Path, path: str) -> None:
    asked = path.format(token=server.token, name=_name(runs, "one"))
    full = asked if asked.startswith("/") else own(server, asked)
    if asked in (server.token, f"?token={server.token}"):
        full = f"/{asked}"
    status, _, text = ask(server, full)
    assert status in (403, 404, 414)
    assert "the secret" not in text
    assert "no-memory" not in text


@pytest.mark.parametrize(
    "headers",
    [
        {"Host": "evil.example"},
        {"Host": "127.0.0.1"},
        {"Host": "127.0.0.1:1"},
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
    ],
)
def test_pages_from_elsewhere_get_nothing(server: ViewServer, headers: dict[str, str]) -> None:
    status, _, text = ask(server, own(server), **headers)
    assert status == 403
    assert "run/" not in text


def _line(runs: Path, **changes: object) -> str:
    sample = next(Run(runs / "deep" / "one").samples())
    place = {"split": sample.split, "row": sample.row, "question_index": sample.question_index}
    return json.dumps({**place, "mark": "gold-wrong", "note": "why", **changes})


def test_a_mark_is_kept_with_the_run_and_shown_again(server: ViewServer, runs: Path) -> None:
    name = _name(runs, "one")
    path, kind = own(server, f"mark/{name}"), "application/json"
    assert ask(server, path, "POST", _line(runs), Content_Type=kind)[0] == 200
    store = Run(runs / "deep" / "one").store
    assert [(mark.mark, mark.note) for mark in store.marks()] == [(MarkKind.GOLD_WRONG, "why")]
    assert ask(server, path, "POST", _line(runs, withdrawn=True), Content_Type=kind)[0] == 200
    assert store.marks() == []


@pytest.mark.parametrize(
    ("body", "headers", "status"),
    [
        ("{}", {"Content_Type": "text/plain"}, 400),
        ("{", {"Content_Type": "application/json"}, 400),
        ("[]", {"Content_Type": "application/json"}, 400),
        ('{"split": 1}', {"Content_Type": "application/json"}, 400),
        ("[" * 5000, {"Content_Type": "application/json"}, 400),
        ("x" * 20_000, {"Content_Type": "application/json"}, 413),
        ("{}", {"Content_Type": "application/json", "Origin": "http://evil.example"}, 403),
    ],
)
def test_what_is_no_mark_is_refused(
    server: ViewServer, runs: Path, body: str, headers: dict[str, str], status: int
) -> None:
    path = own(server, f"mark/{_name(runs, 'two')}")
    assert ask(server, path, "POST", body, **headers)[0] == status
    assert not (runs / "deep" / "two" / "marks.jsonl").exists()


@pytest.mark.parametrize("changes", [{"mark": "right"}, {"note": 3}, {"row": 99}, {"mark": None}])
def test_a_mark_of_another_kind_or_question_is_refused(
    server: ViewServer, runs: Path, changes: dict[str, object]
) -> None:
    path = own(server, f"mark/{_name(runs, 'two')}")
    line = _line(runs, **changes)
    assert ask(server, path, "POST", line, Content_Type="application/json")[0] == 400


def test_other_methods_and_ports_are_refused(server: ViewServer, runs: Path) -> None:
    assert ask(server, own(server), "DELETE")[0] == 501
    done = run_mabench("view", "runs", "--port", "70000", cwd=runs.parent)
    assert (done.returncode, "--port" in done.stderr) == (2, True)
    taken = f"{server.server_address[1]}"
    done = run_mabench("view", "runs", "--port", taken, cwd=runs.parent)
    assert (done.returncode, "give another" in done.stderr) == (2, True)
    done = run_mabench("view", "nothing", cwd=runs.parent)
    assert (done.returncode, "is no folder" in done.stderr) == (2, True)


def test_a_folder_of_runs_becomes_an_index_with_a_page_for_each(runs: Path) -> None:
    run = Run(runs / "deep" / "two")
    run.store.append_mark(Mark.of(next(run.samples()), MarkKind.VERDICT_WRONG))
    done = succeed("page", "runs", "--out", "index.html", cwd=runs.parent)
    assert "index.html" in done.stderr
    index = (runs.parent / "index.html").read_text(encoding="utf-8")
    assert 'href="deep-one.html"' in index
    assert "connect-src" not in index
    assert (runs.parent / "deep-two.html").exists()
    (run.folder / "marks.jsonl").unlink()


def test_scores_over_time_need_two_times(tmp_path: Path) -> None:
    dates = ["2026-01-01T10:00:00", "2026-01-01T10:00:59", "2026-01-01T10:01:00"]
    runs = [
        ListedRun(folder=f"{n}", agent="made", data="rows", date=date, score=50.0, state="complete")
        for n, date in enumerate(dates)
    ]
    assert "Scores over time" not in index_page(runs[:2], tmp_path, {})
    assert "Scores over time" in index_page(runs, tmp_path, {})
