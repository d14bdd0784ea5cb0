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


PERSONA_QUESTION: dict[str, Any] = {
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


def personamem_v2(folder: Path, **changed: Any) -> Path:
    """Two questions about one history, whose file the table names."""
    row: dict[str, Any] = {
        "persona_id": "7",
        "pref_type": "neutral_preferences",
        "topic_query": "food",
    }
    row |= {"user_query": "{'role': 'user', 'content': 'What could I cook?'}"}
    row |= {"correct_answer": "Rice", "incorrect_answers": json.dumps(["Soup", "Pie", "Stew"])}
    row |= {"chat_history_32k_link": "data/chats/7.json", "chat_history_128k_link": "data/128.json"}
    write_table(folder / "benchmark/text/benchmark.csv", [row | changed, row])
    write_json(folder / "data/chats/7.json", {"metadata": {}, "chat_history": PERSONA_CHAT})
    return folder


MEMBENCH_QA: dict[str, Any] = {
    "qid": 0,
    "question": "Where do I live?",
    "answer": "Arden",
    "target_step_id": [1],
    "choices": {"A": "Bree", "B": "Arden", "C": ["Cray", "Dun"], "D": 4},
    "ground_truth": "B",
    "time": "'2024-10-01 08:13' Tuesday",
}
MEMBENCH_STEPS = ["I like tea. (place: Bree)", "I live in Arden. (place: Arden)"]


def membench(folder: Path, **changed: Any) -> Path:
    """Streams of messages, flat and by session, and one of exchanges with an agent."""
    observed = {"tid": 0, "message_list": MEMBENCH_STEPS, "QA": MEMBENCH_QA | changed}
    nested = [[{"mid": 0, "message": one, "place": "Bree"}] for one in MEMBENCH_STEPS]
    by_session = {
        "tid": 1,
        "message_list": nested,
        "QA": MEMBENCH_QA | {"target_step_id": [[0, 1]]},
    }
    steps = [{"user": one, "agent": "I see."} for one in MEMBENCH_STEPS]
    exchanged = {"tid": 0, "message_list": steps, "QA": MEMBENCH_QA}
    third = {"simple": {"roles": [observed, by_session]}}
    write_json(folder / "ThirdAgentDataLowLevel_multiple_0.json", third)
    write_json(folder / "FirstAgentDataHighLevel.json", {"highlevel": {"food": [exchanged]}})
    return folder


def lifebench(folder: Path, **changed: Any) -> Path:
    """A person's phone, with a question that has options and one that is open."""
    person = folder / "data_en/ama"
    chosen: dict[str, Any] = {"question": "Which town?", "answer": "B", "ask_time": "2025-02"}
    chosen |= {"options": [{"option": "A", "content": "Bree"}, {"option": "B", "content": "Arden"}]}
    chosen |= {"evidence": [{"type": "sms", "id": "3"}], "question_type": "Information Extraction"}
    opened = {"question": "Who?", "answer": "Bela", "question_type": "Nondeclarative"}
    write_json(person / "QA/QA_clean.json", [chosen | changed, opened])
    sms: dict[str, Any] = {
        "type": "sms",
        "event_id": 9,
        "message_content": "In Arden!",
        "phone_id": 3,
    }
    write_json(person / "phone_data/sms.json", [sms | {"datetime": "2025-01-02 09:05:15"}])
    note = {"type": "note", "title": "Day one", "datetime": "2025-01-01 10:00:00", "phone_id": 1}
    write_json(person / "phone_data/note.json", [note])
    write_json(person / "phone_data/contact.json", [{"name": "Bela", "phone_id": 1}])
    return folder


def realmem(folder: Path, **changed: Any) -> Path:
    """Two sessions that begin with a question, of which the first knows nothing."""
    asked: dict[str, Any] = {
        "speaker": "User",
        "is_query": True,
        "query_id": "Q-0001",
        "content": "Which town?",
    }
    asked |= {"category_name": "Dynamic Updating", "topic": "travel"}
    reply: dict[str, Any] = {
        "speaker": "Assistant",
        "content": "Arden, as you said.",
        "is_query": False,
    }
    reply |= {"memory_used": [{"session_uuid": "u1", "content": "Wants to see Arden"}]}
    reply |= {"memory_session_uuids": ["u1"]}
    told = [{"speaker": "User", "content": "I want to see Arden.", "is_query": False}]
    first: dict[str, Any] = {"session_identifier": "Travel:S1_01", "session_uuid": "u1"}
    first |= {"current_time": "2026-04-05 (Sunday)", "dialogue_turns": [asked, *told]}
    second: dict[str, Any] = {
        "session_identifier": "Travel:S1_02",
        "session_uuid": "u2",
        "extracted_memory": [],
    }
    second |= {"current_time": "2026-04-06 (Monday)", "dialogue_turns": [asked | changed, reply]}
    content = {"_metadata": {"person_name": "Ama"}, "dialogues": [first, second]}
    write_json(folder / "dataset/Ama_dialogues_256k.json", content)
    return folder


def halumem(folder: Path, **changed: Any) -> Path:
    """A user with three sessions, the first and the last of which have no questions."""
    question: dict[str, Any] = {"question": "Which town?", "answer": "Arden"}
    question["difficulty"] = "easy"
    question |= {
        "evidence": [{"memory_content": "Lives in Arden", "memory_type": "Persona Memory"}]
    }
    question |= {"question_type": "Basic Fact Recall"}
    said: dict[str, Any] = {"role": "user", "content": "I live in Arden.", "dialogue_turn": 0}
    said |= {"timestamp": "Dec 15, 2025, 06:11:23"}
    session: dict[str, Any] = {"start_time": "Dec 15, 2025, 06:11:23", "dialogue": [said]}
    later: dict[str, Any] = {"start_time": "Dec 16, 2025, 06:11:23"}
    later |= {"dialogue": [said | {"timestamp": "Dec 16, 2025, 06:11:23"}]}
    filler = later | {"is_generated_qa_session": True, "questions": []}
    sessions = [session, later | {"questions": [question | changed]}, filler]
    user = {"uuid": "u1", "persona_info": "Ama, a baker", "sessions": sessions}
    write_lines(folder / "HaluMem-Medium.jsonl", [user])
    return folder


def convomem(folder: Path, **changed: Any) -> Path:
    """One item of evidence: two conversations, and a question about them."""
    conversations = [
        {"id": "c1", "containsEvidence": True, "messages": [{"speaker": "user", "text": one}]}
        for one in ("I have a cat.", "I have a dog.")
    ]
    item: dict[str, Any] = {
        "question": "Which pets?",
        "answer": "A cat and a dog",
        "category": "user_evidence",
    }
    item |= {"message_evidences": [{"speaker": "user", "text": "I have a dog."}], "personId": "p"}
    content = {"evidence_items": [item | {"conversations": conversations} | changed]}
    write_json(
        folder / "core_benchmark/evidence_questions/user_evidence/2_evidence/a.json", content
    )
    return folder


def longmemeval_v2(folder: Path, **changed: Any) -> Path:
    """Two questions that rules score, one for a judge and one about a picture; one haystack."""
    asked: dict[str, Any] = {"id": "q1", "domain": "web", "question": "Which tabs?", "image": None}
    asked |= {"question_type": "static-environment", "answer": "Orders; Bills"}
    asked |= {"eval_function": "norm_phrase_set_match|separators=;"}
    judged = {"id": "q2", "question_type": "errors-gotchas", "eval_function": "llm_gotchas_checker"}
    ordered = {"id": "q3", "eval_function": "norm_phrase_set_match_ordered"}
    shown = {"id": "q4", "image": "pictures/4.png"}
    questions = [asked | changed, asked | judged, asked | ordered, asked | shown]
    write_lines(folder / "questions.jsonl", questions)
    state = {"url": "app/start", "action": "click(3)", "accessibility_tree": "[3] Orders"}
    states = [state, {"url": "app/orders", "action": None, "thought": "done", "text": "Bills"}]
    walks = [
        {"id": name, "domain": "web", "goal": "See Ärger", "states": states}
        for name in ("t1", "t2")
    ]
    write_lines(folder / "trajectories.jsonl", walks)
    haystacks = {one["id"]: ["t2", "t1"] for one in questions}
    write_json(folder / "haystacks/lme_v2_small.json", haystacks)
    return folder
