import ast
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import mabench
from mabench.data import Dataset, Row
from mabench.errors import DataError, UsageError
from mabench.loading import validate
from mabench_synthetic.material import read_material


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


TRIPLES = """subject,relation,object,order,question
Ann,lives in,Rome,3,Where is Ann at home?
Bob,lives in,Oslo,1,
ann,lives in,Bern,2,Where is Ann at home?
Eve,was born in,Kiel,4,
"""


def test_triples_become_facts_of_which_the_later_holds(tmp_path: Path) -> None:
    (row,) = rows("factconsolidation", write(tmp_path, "t.csv", TRIPLES))
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
    (one,) = rows("factconsolidation", tmp_path / "t.csv", questions=1)
    assert one.questions == ["Where is Ann at home?"], "contradicted facts come first"
    (short,) = rows("factconsolidation", tmp_path / "t.csv", tokens=18)
    assert short.context.count("\n") == 3, "the newest facts are kept"


_ASKED = [
    {"question": "Who built the tower?", "answers": [{"text": "Orla Venn"}, {"text": "Venn"}]},
    {"question": "Who fell?", "answers": [], "is_impossible": True},
]
_PARAGRAPHS = [
    {"context": "The tower is 300 metres\nhigh and was built by Orla Venn.", "qas": _ASKED},
    {"context": "Nobody asks about this paragraph."},
]
SQUAD = {"data": [{"title": "Towers", "paragraphs": _PARAGRAPHS}]}


def test_paragraphs_become_documents(tmp_path: Path) -> None:
    (row,) = rows("ruler_qa1", write(tmp_path, "squad.json", SQUAD))
    assert row.questions == ["Who built the tower?"]
    assert row.answers == [["Orla Venn", "Venn"]]
    assert row.context.count("Document ") == 2
    assert "The tower is 300 metres high" in row.context


CHATS: dict[str, Any] = {
    "sessions": [
        {
            "date": "2024-03-02T10:00",
            "turns": [
                {"role": "user", "content": "My cat's name is now Tom."},
                {"role": "assistant", "content": "Noted."},
            ],
        },
        {"date": "2024-03-01T09:30", "turns": [{"role": "user", "content": "My cat is Pix."}]},
    ],
    "questions": [
        {
            "question": "What is my cat called?",
            "answer": ["Tom", "Tom the cat"],
            "type": "knowledge-update",
            "date": "2024-03-05T12:00",
            "evidence": [[0, 0], [1, 0]],
        },
        {"question": "What is my dog called?", "answer": "Unknown.", "abstain": True},
    ],
}


def test_chats_become_sessions_in_the_order_of_time(tmp_path: Path) -> None:
    (row,) = rows("longmemeval", write(tmp_path, "chats.json", CHATS))
    literal = ast.literal_eval(row.context)
    stamps = ["2024/03/01 (Fri) 09:30", "2024/03/02 (Sat) 10:00"]
    assert literal[::2] == [f"Chat Time: {stamp}" for stamp in stamps]
    assert literal[3][0] == {**CHATS["sessions"][0]["turns"][0], "has_answer": True}
    assert row.questions[0] == (
        "Current Date: 2024/03/05 (Tue) 12:00,\n\n Now Answer the Question: What is my cat called?"
    )
    assert row.answers[0] == ["Tom", "Tom the cat"]
    assert row.metadata.get("question_types") == ["knowledge-update", "single-session-user"]
    assert [i.endswith("_abs") for i in row.metadata.get("question_ids") or []] == [False, True]
    first, second = row.metadata.get("haystack_sessions") or []
    assert [sum(bool(turn.get("has_answer")) for turn in session) for session in first] == [1, 1]
    assert second == []


_TSV = "text\tlabel\none\ta\n\tb\ntwo\t\none\tc\nthree\ta\nfour\td\n"
_BAD_TRIPLES = """subject,relation,object,order,question
,a,b,,
x,likes,tea,soon,
x,likes,,1,
x,likes,tea,nan,
x,likes,tea,1,Does x like tea?
"""
_BAD_SQUAD = {
    "data": [
        {"paragraphs": [{"context": ""}, {"context": "Some text.", "qas": [
            {"answers": [{"text": "text"}]},
            {"question": "Q?", "answers": []},
            {"question": "Q?", "answers": [{"text": "elsewhere"}]},
        ]}]},
        {"title": "x"},
    ]
}  # fmt: skip


def bad_chats(date: str, second: dict[str, Any], question: dict[str, Any]) -> dict[str, Any]:
    first, other = CHATS["sessions"]
    asked, last = CHATS["questions"]
    return {
        "sessions": [first | {"date": date}, other | second],
        "questions": [asked, last | question],
    }


@pytest.mark.parametrize(
    ("source", "name", "content", "faults"),
    [
        ("icl", "t.csv", "words,class\na,b\n", ["line 1: no column text, label"]),
        ("icl", "t.csv", "", ["line 1: no column text, label"]),
        ("icl", "t.csv", "text,label\na,x\nb,x\n", ["1 labels; a row takes two or more"]),
        ("icl", "t.tsv", _TSV, [
            "line 3: text is empty; fill it or remove the line",
            "line 4: label is empty; fill it or remove the line",
            "line 5: the text of line 2 again; remove one of the two",
            "line 7: the only text with the label 'd'; add another one, to be asked about",
        ]),
        ("factconsolidation_sh", "t.csv", _BAD_TRIPLES, [
            "line 2: subject is empty; fill it or remove the line",
            "line 3: order 'soon' is no number; write one, such as 12",
            "line 4: object is empty; fill it or remove the line",
            "line 5: order 'nan' is no number; write one, such as 12",
            "line 6: the question holds its answer; word it otherwise",
        ]),
        ("ruler_qa1", "f.json", "{", ["not a readable JSON file"]),
        ("longmemeval", "f.json", "{", ["not a readable JSON file"]),
        ("ruler_qa1_197K", "f.json", _BAD_SQUAD, [
            "data[0].paragraphs[0].context: no text; add the paragraph",
            "data[0].paragraphs[1].qas[0]: no 'question'; add it as a string",
            "data[0].paragraphs[1].qas[1].answers: no answer with a 'text'; add one",
            "data[0].paragraphs[1].qas[2].answers[0]: not in the paragraph; quote it as it stands",
            "data[1]: no list 'paragraphs'; add it",
        ]),
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
def test_other_sources_take_no_file(tmp_path: Path, source: str) -> None:
    known = "no rows of a file can be made as .*known: icl, factconsolidation"
    with pytest.raises(UsageError, match=known):
        rows(source, write(tmp_path, "t.csv", TRIPLES))


def test_rows_of_own_material_are_valid_and_run(tmp_path: Path) -> None:
    made = [
        *rows("icl", labelled(tmp_path), questions=3),
        *rows("factconsolidation", write(tmp_path, "t.csv", TRIPLES)),
        *rows("ruler_qa1", write(tmp_path, "squad.json", SQUAD)),
        *rows("longmemeval", write(tmp_path, "chats.json", CHATS)),
    ]
    dataset = Dataset.from_rows("own", lambda: made)
    assert [p for p in validate(dataset) if p.severity == "error"] == []
    run = mabench.run("oracle", dataset, out=tmp_path / "run")
    scores = [source["official"] for source in run.summary["sources"].values()]
    assert sorted(scores, key=str) == [100, 100, 100, None]
