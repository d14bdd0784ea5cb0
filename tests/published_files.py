"""Small files in the forms that other benchmarks are published in; every text is made up."""

import json
from pathlib import Path
from typing import Any


def locomo() -> list[dict[str, Any]]:
    """Two conversations: with slips in the evidence, a picture and golds that are numbers."""
    first = {
        "sample_id": "talk-1",
        "conversation": {
            "speaker_a": "Ida",
            "speaker_b": "Ugo",
            "session_10_date_time": "2:00 pm on 9 June, 2023",
            "session_10": [
                _turn("Ida", "D10:1", "My sister Lena has moved to Porto for good, imagine that!")
            ],
            "session_2_date_time": "1:56 pm on 8 May, 2023",
            "session_2": [
                _turn("Ugo", "D2:1", "Hi!"),
                _turn(
                    "Ida",
                    "D2:2",
                    "I have bought a red canoe for the lake.\nIt is old: but it floats.",
                    blip_caption="a photo of a canoe on a lawn",
                    img_url=["https://example.org/1.jpg"],
                ),
                _turn("Ugo", "D2:3", "I planted seven pear trees behind the barn yesterday."),
            ],
            "session_11_date_time": "3:00 pm on 1 July, 2023",
        },
        "qa": [
            _asked("What did Ida buy?", 4, ["D2:2"], answer="A red canoe"),
            _asked("How many trees did Ugo plant?", 2, ["D:2:03"], answer=7),
            _asked("What is new?", 1, ["D2:2; D10:1", "D2:3"], answer="canoe, pear trees"),
            _asked("Does Ida like water?", 3, [], answer="Likely yes; she bought a canoe"),
            _asked("What did Ugo buy?", 5, ["D9:9", "?"], adversarial_answer="A red canoe"),
            _asked("Did Ugo move?", 5, ["D10:1"], answer="No", adversarial_answer="Yes"),
        ],
        "event_summary": {},
    }
    second = {
        "sample_id": "talk-2",
        "conversation": {"session_1": [_turn("Bo", "D1:1", "I keep three grey cats at home now.")]},
        "qa": [_asked("How many cats has Bo?", 4, ["D1:1"], answer="three")],
    }
    return [first, second]


def _turn(speaker: str, dia_id: str, text: str, **more: Any) -> dict[str, Any]:
    return {"speaker": speaker, "dia_id": dia_id, "text": text, **more}


def _asked(question: str, category: int, evidence: list[str], **more: Any) -> dict[str, Any]:
    return {"question": question, "category": category, "evidence": evidence, **more}


def longmemeval() -> list[dict[str, Any]]:
    """Two questions, each with sessions of its own, those of the first in no order."""
    cat = [
        {"role": "user", "content": "My cat is called Minka, by the way.", "has_answer": True},
        {"role": "assistant", "content": "What a lovely name for a cat that is."},
    ]
    rain = [{"role": "user", "content": "Will it rain in Bergen tomorrow?", "has_answer": False}]
    first = {
        "question_id": "q1",
        "question_type": "single-session-user",
        "question": "How is my cat called?",
        "answer": 5,
        "question_date": "2023/05/30 (Tue) 23:40",
        "haystack_session_ids": ["s_cat", "s_rain"],
        "haystack_dates": ["2023/05/20 (Sat) 02:21", "2023/04/01 (Sat) 10:00"],
        "haystack_sessions": [cat, rain],
        "answer_session_ids": ["s_cat"],
    }
    return [first, {**first, "question_id": "q2_abs", "answer": "You never said."}]


def beam(folder: Path) -> Path:
    """A folder with a chat of 100K and one of 10M, whose batches stand in plans."""
    paint = _message("user", 0, "I want to paint my boat green. ->-> 1,1")
    fine = _message("assistant", 1, "Green is a fine colour for a wooden boat.")
    berth = _message("user", 2, "My berth costs 40 crowns a week. ->-> 1,2/N/A")
    a_year = _message("assistant", 3, "Then a year comes to 2,080 crowns in all.")
    turns = [[{**paint, "time_anchor": "March-15-2024"}, fine], [berth, a_year]]
    batches = [{"batch_number": 1, "turns": turns}]
    later = [{"batch_number": 1, "turns": [[_message("user", 4, "I sold the boat in autumn.")]]}]
    _write(folder / "chats" / "100K" / "2", batches)
    _write(folder / "chats" / "10M" / "1", [{"plan-1": batches}, {"plan-2": later}])
    return folder


def _message(role: str, number: int, content: str) -> dict[str, Any]:
    return {"role": role, "id": number, "content": content, "index": "1,1"}


def _write(chat: Path, content: object) -> None:
    (chat / "probing_questions").mkdir(parents=True)
    written(chat / "chat.json", content)
    cost = {"question": "What does my berth cost?", "answer": 40, "difficulty": "easy"}
    cost |= {"rubric": ["says 40 crowns", "says a week"]}
    order = {"question": "In which order did I tell things?", "answer": "The boat, then the berth"}
    wife = {"question": "Who is my wife?", "ideal_response": "Unknown", "rubric": ["says so"]}
    questions = {
        "information_extraction": [{**cost, "source_chat_ids": {"first": [2], "second": [[3]]}}],
        "event_ordering": [
            {**order, "rubric": ["the boat", "the berth"], "source_chat_ids": [[0, 2], 99]}
        ],
        "abstention": [wife],
    }
    written(chat / "probing_questions" / "probing_questions.json", questions)


def written(path: Path, content: object) -> Path:
    path.write_text(json.dumps(content), encoding="utf-8")
    return path
