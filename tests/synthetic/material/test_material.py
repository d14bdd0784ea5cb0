import ast
import json
import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import mabench
from mabench.data import Dataset, Row
from mabench.errors import DataError, UsageError
from mabench.loading import validate
from mabench_synthetic.material import read_material

HERE = Path(__file__).parent
# Sound files: facts, paragraphs with questions, and chats.
TRIPLES, SQUAD, CHATS = (HERE / name for name in ("triples.csv", "squad.json", "chats.json"))
FAULTS = tomllib.loads((HERE / "faults.toml").read_text("utf-8"))["files"]


def rows(source: str, path: Path, **asked: Any) -> list[Row]:
    how = {"seed": 0, "tokens": None, "questions": None, **asked}
    return list(read_material(source, path, **how).rows())


def write(folder: Path, name: str, content: object) -> Path:
    file = folder / name
    text = content if isinstance(content, str) else json.dumps(content)
    file.write_text(text, encoding="utf-8")
    return file


def labelled(folder: Path, classes: int = 4, texts: int = 5) -> Path:
    lines = [f'"text {i} of {c}",class {c}' for c in range(classes) for i in range(texts)]
    return write(folder, "labelled.csv", "text,label\n" + "\n".join(lines) + "\n")


def test_labelled_texts_become_demonstrations_and_questions(tmp_path: Path) -> None:
    (row,) = rows("icl", labelled(tmp_path), questions=8)
    shown = [block.rsplit("\nlabel: ", 1) for block in row.context.split("\n\n")]
    assert len(shown) == 12
    assert len(row.questions) == 8
    meant = {text.split()[-1]: label for text, label in shown}
    assert sorted(meant.values()) == ["0", "1", "2", "3"]
    assert [answers[0] for answers in row.answers] == [meant[q.split()[-1]] for q in row.questions]
    assert not {text for text, _ in shown} & {*row.questions}
    assert row.source == "icl_trec_coarse_6600shot_balance", "the source with the nearest classes"
    (row,) = rows("icl_nlu_8296shot_balance", labelled(tmp_path, texts=50), tokens=200, questions=4)
    labels = Counter(block.rsplit(": ", 1)[1] for block in row.context.split("\n\n"))
    assert row.source == "icl_nlu_8296shot_balance"
    assert max(labels.values()) - min(labels.values()) <= 1
    assert 10 < sum(labels.values()) < 30


def test_triples_become_facts_of_which_the_later_holds() -> None:
    (row,) = rows("factconsolidation", TRIPLES)
    assert row.context == (
        "Here is a list of facts:\n0. Bob lives in Oslo.\n1. Ann lives in Bern.\n"
        "2. Ann lives in Rome.\n3. Eve was born in Kiel.\n"
    )
    answers = dict(zip(row.questions, (a[0] for a in row.answers), strict=True))
    assert answers == {
        "Where is Ann at home?": "Rome",
        "Bob lives in what?": "Oslo",
        "Eve was born in what?": "Kiel",
    }
    assert row.source == "factconsolidation_sh_6k"
    (one,) = rows("factconsolidation", TRIPLES, questions=1)
    assert one.questions == ["Where is Ann at home?"], "contradicted facts come first"
    (short,) = rows("factconsolidation", TRIPLES, tokens=18)
    assert short.context.count("\n") == 3, "the newest facts are kept"


def test_paragraphs_become_documents() -> None:
    (row,) = rows("ruler_qa1", SQUAD)
    assert row.questions == ["Who built the tower?"]
    assert row.answers == [["Orla Venn", "Venn"]]
    assert row.context.count("Document ") == 2
    assert "The tower is 300 metres high" in row.context


def test_chats_become_sessions_in_the_order_of_time() -> None:
    (row,) = rows("longmemeval", CHATS)
    literal = ast.literal_eval(row.context)
    stamps = ["2024/03/01 (Fri) 09:30", "2024/03/02 (Sat) 10:00"]
    assert literal[::2] == [f"Chat Time: {stamp}" for stamp in stamps]
    assert literal[3][0] == {
        "role": "user",
        "content": "My cat's name is now Tom.",
        "has_answer": True,
    }
    assert row.questions[0] == (
        "Current Date: 2024/03/05 (Tue) 12:00,\n\n Now Answer the Question: What is my cat called?"
    )
    assert row.answers[0] == ["Tom", "Tom the cat"]
    assert row.metadata.get("question_types") == ["knowledge-update", "single-session-user"]
    assert [i.endswith("_abs") for i in row.metadata.get("question_ids") or []] == [False, True]
    first, second = row.metadata.get("haystack_sessions") or []
    assert [sum(bool(turn.get("has_answer")) for turn in session) for session in first] == [1, 1]
    assert second == []


def bad_chats(date: str, second: dict[str, Any], question: dict[str, Any]) -> dict[str, Any]:
    chats = json.loads(CHATS.read_text("utf-8"))
    (first, other), (asked, last) = chats["sessions"], chats["questions"]
    return {
        "sessions": [first | {"date": date}, other | second],
        "questions": [asked, last | question],
    }


@pytest.mark.parametrize(
    ("source", "name", "content", "faults"),
    [
        *(one.values() for one in FAULTS),
        (
            "longmemeval", "f.json",
            bad_chats("yesterday", {"turns": [{"content": "x"}]}, {"colour": "red"}),
            ["sessions.0.date: ", "sessions.1.turns.0.role: ", "questions.1.colour: "],
        ),
        (
            "longmemeval", "f.json",
            bad_chats("2024-03-02T10:00Z", {}, {"evidence": [[0, 5], [2, 0]]}),
            [
                "sessions: some dates have a time zone; give one to each or to none",
                "questions.1.evidence: there is no turn [0, 5]",
                "questions.1.evidence: there is no turn [2, 0]",
            ],
        ),
    ],
)  # fmt: skip
def test_everything_that_is_wrong_with_a_file_is_named(
    tmp_path: Path, source: str, name: str, content: object, faults: list[str]
) -> None:
    file = write(tmp_path, name, content)
    with pytest.raises(DataError) as raised:
        rows(source, file)
    lines = [line.removeprefix(f"{file}: ") for line in str(raised.value).splitlines()]
    assert len(lines) == len(faults)
    assert all(line.startswith(fault) for line, fault in zip(lines, faults, strict=True)), lines


@pytest.mark.parametrize("source", ["eventqa_full", "factconsolidation_mh", "ruler_qa2_421K"])
def test_other_sources_take_no_file(source: str) -> None:
    known = "no rows of a file can be made as .*known: icl, factconsolidation"
    with pytest.raises(UsageError, match=known):
        rows(source, TRIPLES)


def test_rows_of_own_material_are_valid_and_run(tmp_path: Path) -> None:
    made = [
        *rows("icl", labelled(tmp_path), questions=3),
        *rows("factconsolidation", TRIPLES),
        *rows("ruler_qa1", SQUAD),
        *rows("longmemeval", CHATS),
    ]
    dataset = Dataset.from_rows("own", lambda: made)
    assert [p for p in validate(dataset) if p.severity == "error"] == []
    run = mabench.run("oracle", dataset, out=tmp_path / "run")
    scores = [source["official"] for source in run.summary["sources"].values()]
    assert sorted(scores, key=str) == [100, 100, 100, None]
