import importlib
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from types import ModuleType

import pytest

from mabench import __version__
from mabench.lookup.identity import Code
from mabench.lookup.names import factory_named
from mabench_memories.retrieval import BM25Memory


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    yield tmp_path
    forget(tmp_path)


def forget(folder: Path) -> None:
    """Unload the modules of a folder, as a new process would begin."""
    for name, module in [*sys.modules.items()]:
        if str(folder) in f"{getattr(module, '__file__', '')}{getattr(module, '__path__', '')}":
            del sys.modules[name]


def write(folder: Path, files: dict[str, str]) -> None:
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content, encoding="utf-8")
    importlib.invalidate_caches()


def identify(agent: str) -> Code:
    factory_named(agent)
    return Code.identify(agent)


NOTES = "class Notes:\n    pass\n"
TREES = tomllib.loads(Path(__file__).with_name("trees.toml").read_text("utf-8"))


@pytest.mark.parametrize("name", TREES)
def test_the_files_are_those_that_are_imported(here: Path, name: str) -> None:
    files, agent, expected = (TREES[name][part] for part in ("files", "agent", "code"))
    write(here, files)
    code = identify(agent)
    assert (set(code.files), code.packages, code.unknown) == ({*expected}, {}, [])
    for file in expected:
        write(here, {file: f"{files[file]}# edited\n"})
        forget(here)
        edited = identify(agent).files
        assert {one for one in expected if edited[one] != code.files[one]} == {file}
        write(here, {file: files[file]})
        forget(here)
    assert identify(agent) == code


def test_a_module_that_is_edited_after_it_was_imported_runs_as_then(here: Path) -> None:
    write(here, {"notes.py": NOTES})
    code = identify("notes:Notes")
    write(here, {"notes.py": f"{NOTES}# edited\n"})
    again = identify("notes:Notes")
    assert again.files == code.files
    assert again.unknown == [
        "notes.py was edited after Python imported it; the imported version runs"
    ]
    importlib.reload(sys.modules["notes"])
    reloaded = identify("notes:Notes")
    assert (reloaded.files != code.files, reloaded.unknown) == (True, [])


SCRIPT = """
from functools import partial
import one
class Notes:
    pass
def make(n):
    return lambda: Notes(n)
class Made:
    def __call__(self):
        return Notes()
    def build(self):
        return Notes()
def local():
    class Notes:
        pass
    return Notes
"""


def _in_main(folder: Path, made: str, file: str | None = "script.py", two: str = "") -> Code:
    """Identify what an expression makes in a script, or in a notebook, which has no file."""
    write(folder, {"script.py": SCRIPT, "one.py": "import two", "two.py": two})
    forget(folder)
    module = ModuleType("__main__")
    if file:
        vars(module)["__file__"] = str(folder / file)
    kept = sys.modules["__main__"]
    sys.modules["__main__"] = module
    try:
        exec(compile(SCRIPT, "script.py", "exec"), vars(module))
        return Code.identify(eval(made, vars(module)))
    finally:
        sys.modules["__main__"] = kept


@pytest.mark.parametrize("made", ["Notes", "local"])
def test_a_class_or_function_of_a_script_is_its_file_and_what_that_imports(
    here: Path, made: str
) -> None:
    code = _in_main(here, made)
    assert (set(code.files), code.unknown) == ({"script.py", "one.py", "two.py"}, [])
    assert {"functools", "one", "two"} <= code.imports
    edited = _in_main(here, made, two="edited = True").files
    assert {name for name in code.files if edited[name] != code.files[name]} == {"two.py"}


@pytest.mark.parametrize(
    ("made", "why"),
    [
        ("make(1)", "it is defined within a function"),
        ("lambda: Notes()", "it is defined within a function"),
        ("local()", "it is defined within a function"),
        ("Made()", "it is an object, not a class or function"),
        ("partial(Notes, 1)", "it is an object, not a class or function"),
        ("Made().build", "it is not what __main__ calls Made.build"),
        ("type('Notes', (), {'__module__': '__main__'})", "it is not what __main__ calls Notes"),
    ],
)
def test_of_what_no_file_tells_the_code_is_unknown(here: Path, made: str, why: str) -> None:
    assert _in_main(here, made).unknown == [why]


def test_the_code_of_a_notebook_is_unknown(here: Path) -> None:
    code = _in_main(here, "Notes", file=None)
    assert code == Code(unknown=["it is defined in a notebook or an interactive session"])


def test_an_agent_is_its_package_or_ours_or_nothing_is_known_of_it() -> None:
    for agent, package in {"numpy:array": "numpy", "yaml:YAMLObject": "PyYAML"}.items():
        assert identify(agent) == Code(packages={package: version(package)})
    ours = Code(packages={"mabench": __version__})
    assert Code.identify(BM25Memory) == identify("mabench_floor:FloorAgent") == ours
    for agent in ("bm25", "mem0"):
        assert Code.identify(agent) == ours
        assert Code.identify(agent, python=sys.executable) == Code.identify(agent)
    for server in ("http://127.0.0.1:9", "mcp:http://127.0.0.1:9/mcp"):
        assert Code.identify(server) == Code(unknown=["it runs on a server"])


def test_a_program_is_its_file_and_the_files_that_it_is_given(here: Path) -> None:
    words = "sh agent.sh --config agent.toml none.txt"
    for agent, mcp_map in ((f"stdio:{words}", None), (f"mcp:{words}", "agent.toml")):
        write(here, {"agent.sh": "one", "agent.toml": "two"})
        code = Code.identify(agent, mcp_map=mcp_map)
        assert ([*code.files], code.unknown) == (["sh", "agent.sh", "agent.toml"], [])
        write(here, {"agent.toml": "three"})
        edited = Code.identify(agent).files
        assert {name for name in code.files if edited[name] != code.files[name]} == {"agent.toml"}


def _environment(folder: Path) -> Path:
    """Make an environment without packages but one that is installed and one that is editable."""
    site = folder / "there" / "lib" / "python3.11" / "site-packages"
    write(site, {
        "bought.py": NOTES,
        "bought-1.2.dist-info/METADATA": "Metadata-Version: 2.1\nName: Bought\nVersion: 1.2\n",
        "bought-1.2.dist-info/RECORD": "bought.py,,\n",
        "bought-1.2.dist-info/entry_points.txt": "[mabench.memories]\nplug = bought:Notes\n",
        "own.pth": f"{folder / 'src'}\n",
        "own-1.dist-info/METADATA": "Metadata-Version: 2.1\nName: own\nVersion: 1\n",
        "own-1.dist-info/entry_points.txt": "[mabench.agents]\nours = own:Notes\n",
    })  # fmt: skip
    write(folder, {"src/own.py": NOTES, "there/bin/python": "an interpreter"})
    (folder / "there" / "bin" / "python").chmod(0o755)
    return folder / "there" / "bin" / "python"


def test_an_agent_of_another_interpreter_is_found_without_starting_it(here: Path) -> None:
    python = _environment(here)
    write(here, {
        "notes.py": "import beside, bought\nraise SystemExit", "beside.py": "",
        "folder/file.py": "from .near import x", "folder/near.py": "",
    })  # fmt: skip
    for agent, files in {
        "bought:Notes": [],
        "plug": [],
        "own:Notes": ["own.py"],
        "ours": ["own.py"],
        "notes:Notes": ["notes.py", "beside.py"],
        "folder/file.py:Notes": ["file.py", "near.py"],
    }.items():
        code = Code.identify(agent, python=python)
        assert ({*code.files}, code.unknown) == ({str(python), *files}, []), agent
        assert code.packages == ({} if files else {"Bought": "1.2"})


def test_what_cannot_be_read_fails_nothing(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert Code.identify("nowhere:Notes", python=sys.executable).unknown == [
        "nowhere was not found as a file"
    ]
    assert "looking at it failed: ValueError" in Code.identify("stdio:a 'b").unknown[0]
    write(here, {"notes.py": "import one\n" + NOTES, "one.py": "\0\xff from ( import ((\n"})
    assert {*Code.identify("notes:Notes").files} == {"notes.py", "one.py"}
    (here / "notes.py").chmod(0)
    monkeypatch.setattr(Path, "read_bytes", lambda _: 1 / 0)
    assert "ZeroDivisionError" in Code.identify("notes:Notes").unknown[0]


def test_a_thousand_modules_are_looked_at_in_a_moment(here: Path) -> None:
    body = "".join(f"def f{n}(a, b):\n    return [a + b, {n}]\n" for n in range(100))
    last = 1100
    write(here, {f"m{n}.py": f"import m{n + 1}\n{body}" for n in range(last)})
    code = Code.identify("m900:f1")
    assert (len(code.files), code.unknown) == (200, [])
    code = Code.identify("m0:f1")
    assert (len(code.files), code.unknown) == (1000, ["it has more than 1000 files"])
