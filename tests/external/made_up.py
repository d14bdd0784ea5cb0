"""Small files in the layouts of other benchmarks, for which every text is made up."""

import csv
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any


def write_json(file: Path, content: object) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(content), encoding="utf-8")
    return file


def write_lines(file: Path, objects: Sequence[object]) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("".join(f"{json.dumps(one)}\n" for one in objects), encoding="utf-8")
    return file


def write_table(file: Path, rows: Sequence[Mapping[str, object]]) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, [*rows[0]])
        writer.writeheader()
        writer.writerows(rows)
    return file


def messages(*texts: str) -> list[dict[str, str]]:
    """A chat: a text without a speaker is the system's and opens a session."""
    names = {"User": "user", "Assistant": "assistant"}
    roles = [names.get(text.partition(":")[0], "system") for text in texts]
    return [{"role": role, "content": text} for role, text in zip(roles, texts, strict=True)]


PERSONA_QUESTION = {
    "persona_id": 7,
    "question_id": "q-1",
    "question_type": "suggest_new_ideas",
    "topic": "food",
    "distance_to_ref_proportion_in_context": "99.56%",
    "user_question_or_message": "What could I cook?",
    "correct_answer": "(b)",
    "all_options": "['(a) Soup', '(b) Rice\\nwith peas', '(c) It\\'s pie', \"(d) Stew\"]",
    "shared_context_id": "ab12",
    "end_index_in_shared_context": 3,
}
PERSONA_CHAT = messages(
    "Current user persona: Ama, a baker.",
    "User: I like rice.",
    "Assistant: Rice is good.",
    "Current user persona: Ama, older.",
    "User: I like soup now.",
    "Assistant: Soup it is.",
)


def personamem(folder: Path, **changed: Any) -> Path:
    """Two questions about one history: after its first session, and after all of it."""
    second = {"question_id": "q-2", "end_index_in_shared_context": 6, "correct_answer": "(a)"}
    rows = [PERSONA_QUESTION | changed, PERSONA_QUESTION | second]
    write_table(folder / "questions_32k.csv", rows)
    write_lines(folder / "shared_contexts_32k.jsonl", [{"ab12": PERSONA_CHAT}])
    return folder


def belief(name: str, **fields: Any) -> dict[str, Any]:
    own: dict[str, Any] = {"_id": name, "user_id": "test-user", "type": "entity"}
    own |= {"canonical_name": f"{name} name"}
    own |= {"aliases": [f"{name} alias"], "content": f"{name} is told.", "why_it_matters": "So."}
    own |= {"scope": ["domain:code"], "pinned": False, "resolved_at": None, "superseded_by": None}
    return own | fields


BELIEFS = [
    belief("b1"),
    belief("b2"),
    belief("b3", scope=["domain:garden"]),
    belief("p1", pinned=True),
    belief("p2", pinned=True, superseded_by="p1"),
    belief("q1", pinned=True, type="open_question"),
    belief("r1", type="relation", participants=["b2", "b3", "p1"]),
    belief("o1", user_id="other-user"),
]


def case(name: str, **expected: Any) -> dict[str, Any]:
    own: dict[str, Any] = {
        "caseId": name,
        "category": "Alias resolution",
        "description": "d",
        "query": "b1?",
    }
    return own | {"scope": ["domain:code"], "expect": expected}


CASES = [
    case("only", relevantBeliefs={"shouldOnlyInclude": ["b1"]}),
    case("nothing", relevantBeliefs={"shouldOnlyInclude": []}) | {"query": " "},
    case("either", relevantBeliefs={"mustInclude": ["b2", "p1"], "mustExclude": ["o1", "p2"]}),
    case("counts", relevantBeliefs={"minCount": 1, "maxCount": 2, "orderedBefore": [["b1", "b2"]]}),
    case("tiers", pinnedFacts={"mustInclude": ["p1"], "mustExclude": ["p2"]})
    | {"budget": {"maxBeliefs": 2}},
    case("opened", openQuestions={"mustInclude": ["q1"]}, personaPrelude={"nonEmpty": True}),
]


def precisionmembench(folder: Path) -> Path:
    """Eight beliefs of two users, and six cases."""
    write_json(folder / "fixtures/beliefs.seed.json", BELIEFS)
    write_json(folder / "fixtures/retrieval.cases.json", CASES)
    return folder
