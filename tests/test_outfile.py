"""A file that a user names is written whole or not at all, and never through a link."""

import os
import stat
from pathlib import Path

import pytest

from mabench.errors import DataError, UsageError
from mabench.outfile import check_writable, write_file, write_whole
from tests.command_line import mabench, succeed


def test_a_file_is_replaced_once_it_is_whole_and_keeps_its_permissions(tmp_path: Path) -> None:
    out = tmp_path / "page.html"
    write_file(out, "old")
    out.chmod(0o640)
    with write_whole(out) as part:
        part.write_text("new")
        assert out.read_text() == "old"
    assert out.read_text() == "new"
    assert stat.S_IMODE(out.stat().st_mode) == 0o640
    assert [*tmp_path.iterdir()] == [out]


def test_what_fails_half_way_leaves_the_older_file_and_nothing_else(tmp_path: Path) -> None:
    out = tmp_path / "page.html"
    write_file(out, "old")

    def fill_the_disk() -> None:
        with write_whole(out) as part:
            part.write_text("half")
            raise OSError(28, "No space left on device")

    with pytest.raises(DataError, match=r"cannot write to .*: No space left"):
        fill_the_disk()
    assert (out.read_text(), [*tmp_path.iterdir()]) == ("old", [out])


@pytest.mark.parametrize("target", ["notes.txt", "nothing", "loop.html", "folder"])
def test_a_link_is_refused(tmp_path: Path, target: str) -> None:
    (tmp_path / "notes.txt").write_text("precious")
    (tmp_path / "folder").mkdir()
    link = tmp_path / "loop.html"
    link.symlink_to(target)
    with pytest.raises(UsageError, match=r"is a link|Too many levels"):
        write_file(link, "page")
    assert (tmp_path / "notes.txt").read_text() == "precious"
    assert not (tmp_path / "nothing").exists()


def test_a_linked_folder_above_is_an_ordinary_one(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    (tmp_path / "here").symlink_to("there")
    write_file(tmp_path / "here" / "page.html", "page")
    assert (tmp_path / "there" / "page.html").read_text() == "page"


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("a/b/page.html", "the folder .* does not exist; make it"),
        ("file/page.html", "is not a folder|Not a directory"),
        ("x" * 300, "File name too long; name another"),
        ("folder", "is a folder; name a file"),
    ],
)
def test_what_cannot_be_written_is_refused_before_anything_is_made(
    tmp_path: Path, name: str, said: str
) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "folder").mkdir()
    before = sorted(tmp_path.rglob("*"))
    for use in (check_writable, lambda out: write_file(out, "page")):
        with pytest.raises(UsageError, match=said) as refused:
            use(tmp_path / name)
        assert len(str(refused.value)) < 500
    assert sorted(tmp_path.rglob("*")) == before


def test_a_missing_folder_is_made_below_the_current_one_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    write_file("new/page.html", "page")
    assert (here / "new" / "page.html").read_text() == "page"
    for elsewhere in (tmp_path / "new" / "page.html", Path("../new/page.html")):
        with pytest.raises(UsageError, match="does not exist; make it"):
            write_file(elsewhere, "page")
    assert [*tmp_path.iterdir()] == [here]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_device_is_written_to_as_it_is() -> None:
    write_file("/dev/null", "page")
    assert not Path("/dev/null").is_file()


@pytest.mark.parametrize(
    "words",
    [
        "data page synthetic:small --out link.html",
        "page runs/a --out link.html",
        "compare runs/a runs/b --plot link.svg",
        "export runs/a --to csv --out link.csv",
        "data export synthetic:small --questions --out link.jsonl",
        "data init link",
    ],
)
def test_no_command_writes_through_a_link(tmp_path: Path, words: str) -> None:
    for name in ("a", "b"):
        options = ("--source", "ruler_qa1_197K", "--limit-questions", "1", "--out", f"runs/{name}")
        succeed("run", "no-memory", "--data", "synthetic:small", *options, "--quiet", cwd=tmp_path)
    (tmp_path / "notes.txt").write_text("precious")
    for end in ("", ".html", ".svg", ".csv", ".jsonl"):
        (tmp_path / f"link{end}").symlink_to("notes.txt")
    done = mabench(*words.split(), cwd=tmp_path)
    assert (done.returncode != 0, "Traceback" in done.stderr) == (True, False), done
    assert (tmp_path / "notes.txt").read_text() == "precious"


def test_pages_and_plots_of_a_sweep_go_where_the_user_is(tmp_path: Path) -> None:
    code = "import os, tempfile\nclass Wander:\n    def __init__(self):\n"
    code += "        os.chdir(tempfile.mkdtemp())\n    def add(self, text): pass\n"
    (tmp_path / "wander.py").write_text(code + "    def search(self, query, k): return []\n")
    here = Path.cwd()
    try:
        options = ("--source", "ruler_qa1", "--knob", "tokens=1k", "--knob", "questions=1")
        succeed("sweep", "wander:Wander", *options, "--page", "p.html", "--quiet", cwd=tmp_path)
    finally:
        os.chdir(here)
    assert (tmp_path / "p.html").is_file()
