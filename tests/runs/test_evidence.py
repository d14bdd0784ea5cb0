from pathlib import Path

import pytest

import mabench
from mabench.data import Metadata, Row, Turn
from mabench.data.evidence import Evidence
from tests.rows import dataset
from tests.runs.agents import Oslo, Shelf

EVIDENCE = (
    'I adopted a cat named "Pixel" on Monday.\nShe\'s grey and 3 years old. '
    "My sister drove us home from the shelter in the rain."
)


def chat_row(question_count: int = 2) -> Row:
    """One session with evidence for the first question, none for the others."""
    turns = [
        Turn(role="user", content="What should I cook tonight?", has_answer=False),
        Turn(role="assistant", content="Try a lentil soup with lemon.", has_answer=None),
        Turn(role="user", content=EVIDENCE, has_answer=True),
    ]
    said = [{"role": turn["role"], "content": turn["content"]} for turn in turns]
    haystack = [[turns] if i == 0 else [] for i in range(question_count)]
    return Row(
        split="Accurate_Retrieval",
        index=0,
        context=repr(["Chat Time: 2023/01/01 (Sun) 10:00", said]),
        questions=[f"Question {i}?" for i in range(question_count)],
        answers=[["Pixel"]] * question_count,
        metadata=Metadata(source="longmemeval_s*", haystack_sessions=haystack),
    )


@pytest.mark.parametrize(
    ("passages", "recall"),
    [
        ([EVIDENCE], 1),
        (["about something else", f"... {EVIDENCE} ..."], 1),
        ([repr(EVIDENCE)], 1),
        ([EVIDENCE.upper()], 1),
        # Cut between sentences: two of three are enough, one short one is not.
        ([EVIDENCE.partition("My sister")[0]], 1),
        (["She's grey and 3 years old."], 0),
        (["The user has a cat."], 0),
        ([], 0),
    ],
)
def test_evidence_is_found_whole_escaped_or_cut(passages: list[str], recall: float) -> None:
    assert Evidence(chat_row()).find(0, passages).evidence_recall == recall


def test_a_question_without_a_turn_of_evidence_or_a_haystack_does_not_count() -> None:
    row = chat_row()
    assert Evidence(row).find(1, [EVIDENCE]).evidence_recall is None
    other = row.model_copy(update={"questions": ["One?"], "answers": [["x"]]})
    assert Evidence(other).find(0, [EVIDENCE]).evidence_recall is None


class Finds(Shelf):
    def search(self, query: str, k: int) -> list[str]:
        return self.texts if "Question 0?" in query else []


@pytest.mark.parametrize(("agent", "recall"), [(Finds, 50), (Oslo, None)])
def test_the_summary_holds_the_share_of_questions_whose_evidence_was_found(
    tmp_path: Path, agent: type, recall: float | None
) -> None:
    row = chat_row()
    haystack = (row.metadata.get("haystack_sessions") or [])[:1] * 2
    metadata = Metadata(source=row.source, haystack_sessions=haystack)
    both = row.model_copy(update={"metadata": metadata})
    run = mabench.run(agent, dataset([both]), out=tmp_path / "run")
    assert run.summary["sources"]["longmemeval_s*"]["evidence_recall"] == recall
