"""Opening data by whatever names them, and every problem of what was opened."""

import json
import sys
from collections.abc import Sequence
from importlib.metadata import EntryPoint
from pathlib import Path
from types import SimpleNamespace

import pytest

from mabench import load
from mabench.data import Dataset, Source, dump_declarations, load_entities
from mabench.errors import DataError, UsageError
from mabench.families import family_of
from mabench.loading import catalogue_of, row_generator, validate
from mabench.plugins import Group
from tests.rows import dataset, two_rows, write_rows

_OWN = {"family": "answer", "unit": "^Ticket \\d+:"}


def _own_rows(folder: Path, source: str = "tickets") -> Path:
    row = {
        "context": "Ticket 1: the door is open.",
        "questions": ["What is open?"],
        "answers": [["the door"]],
        "metadata": {"source": source},
    }
    file = folder / "rows.jsonl"
    file.write_text(json.dumps(row) + "\n", encoding="utf-8")
    return file


def _toml(folder: Path, text: str) -> None:
    (folder / "sources.toml").write_text(text, encoding="utf-8")


def test_a_path_objects_and_a_data_set_open_the_same_rows(tmp_path: Path) -> None:
    file = write_rows(tmp_path / "rows.jsonl")
    objects = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    opened = [load(file), load(str(file)), load(objects), load(dataset())]
    assert len({one.fingerprint for one in opened}) == 1
    assert [row.source for row in opened[0]] == [row.source for row in two_rows()]


def test_made_up_rows_are_named_and_what_is_not_there_has_the_nearest_name() -> None:
    small = load("synthetic:small")
    assert small.location == "synthetic:small"
    assert small.manifest is not None
    with pytest.raises(UsageError, match="no synthetic data named 'synthetic:smal': did you mean"):
        load("synthetic:smal")
    with pytest.raises(DataError, match="no such file or folder"):
        load("nowhere.jsonl")


def test_another_package_brings_data_by_a_scheme(monkeypatch: pytest.MonkeyPatch) -> None:
    def open_data(name: str) -> Dataset:
        return Dataset.from_rows(name, two_rows)

    def names() -> Sequence[str]:
        return ["one"]

    scheme = SimpleNamespace(names=names, open_data=open_data)
    monkeypatch.setitem(sys.modules, "brought", scheme)
    point = EntryPoint("mine", "brought", Group.DATA)
    monkeypatch.setattr("mabench.loading.schemes.plugins", lambda group: {"mine": point})
    assert load("mine:one").name == "one"
    with pytest.raises(UsageError, match="mine:two"):
        load("mine:two")
    with pytest.raises(UsageError, match="synthetic"):
        row_generator()


def test_declared_sources_come_from_the_file_beside_the_rows_and_from_python(
    tmp_path: Path,
) -> None:
    file = _own_rows(tmp_path)
    in_python = load(file, sources={"tickets": _OWN})
    assert in_python.sources["tickets"].unit == _OWN["unit"]
    as_source = load(
        file, sources={"tickets": Source("tickets", "Own", "answer", unit=_OWN["unit"])}
    )
    _toml(tmp_path, "[tickets]\nfamily = 'answer'\nunit = '^Ticket \\d+:'\n")
    from_file = load(file)
    for one in (as_source, from_file):
        assert dump_declarations(one.sources) == dump_declarations(in_python.sources)
        assert one.fingerprint == in_python.fingerprint
    assert from_file.sources_file == tmp_path / "sources.toml"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[tickets\n", "sources.toml"),
        ("[tickets]\n", r"\[tickets\]"),
        ("[tickets]\nfamily = 'nothing'\n", "no family named"),
        ("[tickets]\nfamily = 'answer'\nmetric = 'rouge'\n", "metric"),
        ("[tickets]\nfamily = 'os:system'\n", "Family"),
    ],
)
def test_a_wrong_declaration_is_an_error_before_any_row_is_read(
    tmp_path: Path, text: str, problem: str
) -> None:
    file = _own_rows(tmp_path)
    file.write_bytes(b"no row")
    _toml(tmp_path, text)
    with pytest.raises(DataError, match=problem):
        load(file)
    (found,) = validate(file)
    assert (found.severity, found.file) == ("error", str(tmp_path / "sources.toml"))


def test_the_name_of_a_benchmarks_source_cannot_be_declared(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="ruler_qa1_197K"):
        load(_own_rows(tmp_path), sources={"ruler_qa1_197K": _OWN})


def test_validating_names_what_cannot_be_opened_and_what_families_expect(tmp_path: Path) -> None:
    (missing,) = validate(tmp_path / "nowhere")
    assert missing.severity == "error"
    assert "no such file or folder" in missing.found
    file = _own_rows(tmp_path)
    warned = validate(file, sources={"tickets": _OWN})
    assert {one.severity for one in warned} == {"warning"}
    assert {"1 unit by '^Ticket \\\\d+:'", "1 history of tickets"} < {one.found for one in warned}
    unsearchable = {**_OWN, "prompt": "Say it: {question}"}
    searched = [one.field for one in validate(file, sources={"tickets": unsearchable})]
    assert "[tickets] prompt" in searched
    unknown = [one for one in validate(file) if one.severity == "error"]
    assert unknown
    assert unknown[0].paste is not None
    assert unknown[0].paste.startswith("[tickets]")


def test_titles_are_prepared_only_where_a_family_recommends(tmp_path: Path) -> None:
    entities = tmp_path / "entity2id.json"
    entities.write_text(json.dumps({"<http://dbpedia.org/resource/Up>": 3}), encoding="utf-8")
    films, facts = family_of("recsys_redial_full"), family_of("factconsolidation_sh_6k")
    assert catalogue_of(None, entities, [facts]) is None
    assert catalogue_of(None, None, [films]) is None
    prepared = catalogue_of(None, entities, [facts, films])
    assert prepared is not None
    assert prepared.titles(["3"]) == ["Up"]
    own = Dataset.from_rows("films", two_rows, entity_ids=load_entities(entities))
    of_data = catalogue_of(own)
    assert of_data is not None
    assert of_data.titles(["3"]) == ["Up"]
    with pytest.raises(DataError, match="entity2id"):
        catalogue_of(None, tmp_path / "none" / "entity2id.json", [films])
