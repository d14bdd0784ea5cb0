import gzip
import os
import shutil
import sqlite3
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from mabench.userfile import read_toml_file
from tests.command_line import mabench, succeed, within

pytestmark = pytest.mark.skipif(os.name == "nt", reason="Windows has no such files")

_SMALL = ("--data", "rows", "--limit-questions", "1", "--out", "new")
_RUN = ("run", "bm25", *_SMALL)
_MODEL = ("--model", "openai/m")
# Where a user names a file: its name, and the command that opens it.
_PLACES: dict[str, tuple[str, tuple[str, ...]]] = {
    "prices": ("f.toml", (*_RUN, *_MODEL, "--prices", "f.toml", "--estimate")),
    "prompts": ("f.toml", (*_RUN, "--prompts", "f.toml")),
    "prompts of a judge": ("f.toml", ("judge", "run", *_MODEL, "--prompts", "f.toml")),
    "MCP map": ("f.toml", ("run", "mcp:none", *_SMALL, "--mcp-map", "f.toml")),
    "own sources": ("own/sources.toml", ("data", "validate", "own")),
    "audit": ("f.json", ("report", "run", "--verified", "f.json")),
    "entities": ("f.json", ("audit", "rows", "--entities", "f.json")),
    "entities of a score": ("f.json", ("score", "run", "--entities", "f.json")),
    "JSON rows": ("f.json", ("run", "bm25", "--data", "f.json", "--out", "new")),
    "JSONL rows": ("f.jsonl", ("run", "bm25", "--data", "f.jsonl", "--out", "new")),
    "Parquet rows": ("f.parquet", ("run", "bm25", "--data", "f.parquet", "--out", "new")),
    "validated rows": ("f.json", ("data", "validate", "f.json")),
    "published file": ("f.json", ("data", "import", "locomo", "f.json", "--out", "new")),
    "chat of BEAM": ("chats/1/chat.json", ("data", "import", "beam", "chats", "--out", "new")),
    "predictions": ("f.jsonl", ("score", "f.jsonl", "run/samples.jsonl", "--data", "rows")),
    "kept replies": ("kept/replies.sqlite", ("cache", "clear", "--folder", "kept")),
    "log of them": ("kept/replies.sqlite-wal", ("cache", "show", "--folder", "kept")),
    "replayed": ("kept/replies.sqlite", (*_RUN, *_MODEL, "--replay", "kept")),
    "manifest": ("f.json", ("generate", "f.json", "--out", "new")),
    "table": ("f.csv", ("generate", "icl", "--from", "f.csv", "--out", "new")),
    "paragraphs": ("f.json", ("generate", "ruler_qa1", "--from", "f.json", "--out", "new")),
}


def _make_sparse(file: Path) -> None:
    with file.open("wb") as stream:
        stream.truncate(1 << 42)


def _write(content: bytes) -> Callable[[Path], object]:
    return lambda file: file.write_bytes(content)


_KINDS: dict[str, Callable[[Path], object]] = {
    "pipe": os.mkfifo,
    "device": lambda file: file.symlink_to("/dev/zero"),
    "folder": Path.mkdir,
    "sparse": _make_sparse,
    "objects": _write(b'{"a":' * 200_000),
    "lists": _write(b"a=" + b"[" * 500_000),
    "JSON lists": _write(b"[" * 500_000),
    "tables": _write(b"a=" + b"{a=" * 200_000),
    "keys": _write(b"a." * 400_000 + b"a=1"),
    "header": _write(b"[" + b"a." * 200_000 + b"a]\n" + b"a=1\n"),
    "members": _write(gzip.compress(b"") * 200_000),
}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with rows, a run over them, rows of one's own, and a chat of BEAM."""
    place = tmp_path_factory.mktemp("files")
    sized = ("--tokens", "600", "--questions", "2", "--rows", "1", "--out", "rows")
    families = ("longmemeval", "recsys", "factconsolidation_sh_6k")
    succeed("generate", *families, *sized, cwd=place)
    succeed("run", "bm25", "--data", "rows", "--out", "run", cwd=place)
    for name in ("own/rows.jsonl", "chats/1/probing_questions/probing_questions.json"):
        (place / name).parent.mkdir(parents=True)
        (place / name).write_text("{}\n", "utf-8")
    return place


@pytest.mark.parametrize(
    ("where", "kind"),
    [
        (where, kind)
        for where in _PLACES
        for kind in _KINDS
        if where != "log of them" or kind in ("pipe", "device", "folder")  # Else it is ignored.
    ],
)
@pytest.mark.usefixtures("key_and_cache")
def test_what_cannot_be_read_is_a_sentence(place: Path, where: str, kind: str) -> None:
    name, command = _PLACES[where]
    file = place / name
    file.parent.mkdir(exist_ok=True)
    _KINDS[kind](file)
    try:
        with within(60):
            done = mabench(*command, cwd=place)
    finally:
        shutil.rmtree(file) if file.is_dir() and not file.is_symlink() else file.unlink()
        for made in ("new", "kept"):
            shutil.rmtree(place / made, ignore_errors=True)
    assert done.returncode in (1, 2), done
    assert "Traceback" not in done.stdout + done.stderr, done
    named = "".join((done.stdout + done.stderr).split())
    assert Path(name).name in named or (kind == "device" and "/dev/zero" in named), done


_ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)"
_COLUMNS = "key, used, bytes, text, input_tokens, output_tokens, estimated, cached_tokens, type"
_VIEW = f"CREATE VIEW replies AS {_ENDLESS} SELECT i AS key, 1 AS used, 1 AS bytes FROM n"


@pytest.mark.parametrize(
    "statements",
    [
        [_VIEW],
        [
            "CREATE TABLE replies (key, used, bytes)",
            "PRAGMA writable_schema = ON",
            f"UPDATE sqlite_master SET sql = '{_VIEW}'",
        ],
        [
            f"CREATE TABLE replies ({_COLUMNS}, encoding)",
            f"CREATE TRIGGER t BEFORE DELETE ON replies BEGIN SELECT max(i) FROM ({_ENDLESS} "
            "SELECT i FROM n); END",
            "INSERT INTO replies (key, used, bytes, text) VALUES ('a', 1, 1, 'a')",
        ],
    ],
)
@pytest.mark.parametrize(
    "command",
    [
        *("cache show --folder kept", "cache clear --folder kept"),
        "run bm25 --data rows --model openai/m --replay kept --out new",
    ],
)
def test_kept_replies_run_no_queries_of_others(
    place: Path, tmp_path: Path, command: str, statements: list[str]
) -> None:
    shutil.copytree(place / "rows", tmp_path / "rows")
    (tmp_path / "kept").mkdir()
    connection = sqlite3.connect(tmp_path / "kept" / "replies.sqlite")
    for statement in statements:
        connection.execute(statement)
    connection.commit()
    connection.close()
    with within(60):
        done = mabench(*command.split(), cwd=tmp_path)
    assert done.returncode in (1, 2), done
    assert "replies.sqlite: the cache cannot be opened: " in done.stderr


@pytest.mark.parametrize(
    "text",
    [
        'a = ["""x"""", "b"]\n',
        "[a.b.c]\nd = [[1.5, [2.5]], {e.f = 1}]\n",
        f"a = '''{'[' * 99} {'.' * 99} '''\n",
        f'a = "{"[." * 99}\\"{"{" * 99}"  # {"[" * 99}\n',
        f"a = [{'1.5, ' * 99}]\n",
        'a = """\\\\"""\nb = [1]\n',
    ],
)
def test_toml_is_read_whatever_its_strings_hold(tmp_path: Path, text: str) -> None:
    file = tmp_path / "f.toml"
    file.write_text(text, "utf-8")
    assert read_toml_file(file) == tomllib.loads(text)
