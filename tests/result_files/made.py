"""Made-up result files, one writer for each layout, from the same few answers."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

Fields = dict[str, Any]


class Outcome(NamedTuple):
    """An answer to a made-up question of LoCoMo's or LongMemEval's, and whether it was passed."""

    answer: str
    is_passed: bool


def _mean(outcomes: Sequence[Outcome]) -> float:
    return sum(one.is_passed for one in outcomes) / max(1, len(outcomes))


def _question(number: int) -> str:
    return f"Which town does person {number} live in?"


def evermemos(outcomes: Sequence[Outcome]) -> Fields:
    results = [
        {
            "question_id": f"locomo_0_qa{number}",
            "question": _question(number),
            "golden_answer": "Arden",
            "generated_answer": one.answer,
            "llm_judgments": {"judgment_1": one.is_passed, "judgment_2": one.is_passed},
            "category": "4",
        }
        for number, one in enumerate(outcomes)
    ]
    return {
        "total_questions": len(outcomes),
        "correct": sum(one.is_passed for one in outcomes),
        "accuracy": _mean(outcomes),
        "detailed_results": {"locomo_exp_user_0": results},
        "metadata": {"judge_model": "judge-1"},
    }


def exia(outcomes: Sequence[Outcome]) -> Fields:
    results = [
        {
            "question": _question(number),
            "gold": "Arden",
            "response": one.answer,
            "category": 4,
            "label": "CORRECT" if one.is_passed else "WRONG",
        }
        for number, one in enumerate(outcomes)
    ]
    return {
        "system": "Ghost",
        "total_qa": len(outcomes),
        "overall_accuracy": _mean(outcomes),
        "results": [{"conv_idx": 0, "qa_results": results}],
    }


def exia_one(outcomes: Sequence[Outcome]) -> Fields:
    results = [
        {
            "question": _question(number),
            "gold": 2022,
            "response": one.answer,
            "cat": 2,
            "label": "CORRECT" if one.is_passed else "WRONG",
        }
        for number, one in enumerate(outcomes)
    ]
    return {
        "judge_runs": 3,
        "conversation_id": "conv-26",
        "score": _mean(outcomes),
        "total": len(outcomes),
        "results": results,
    }


def lobu(outcomes: Sequence[Outcome]) -> Fields:
    questions = [
        {
            "scenarioId": f"s{number}",
            "questionId": f"q{number}",
            "category": "multi-session",
            "prompt": _question(number),
            "expectedAnswers": ["Arden"],
            "answer": one.answer,
            "score": {"answerCorrect": int(one.is_passed)},
        }
        for number, one in enumerate(outcomes)
    ]
    summary = {"questionCount": len(outcomes), "answerAccuracy": _mean(outcomes)}
    trial = {"questions": questions, "summary": summary}
    return {"suiteId": "made", "systems": [{"systemId": "notes", "trials": [trial]}]}


def lobu_verdicts(outcomes: Sequence[Outcome]) -> Fields:
    questions = [
        {"scenarioId": f"s{number}", "questionId": f"q{number}", "verdict": int(one.is_passed)}
        for number, one in enumerate(outcomes)
    ]
    system = {"systemId": "notes", "trials": [{"questions": questions}]}
    return {"judgeModel": "judge-2", "systems": [system]}


def mem0(outcomes: Sequence[Outcome]) -> Fields:
    evaluations = [
        {
            "question_id": f"conv0_q{number}",
            "conversation_idx": 0,
            "category": 4,
            "question": _question(number),
            "ground_truth_answer": "Arden",
            "cutoff_results": {
                "top_50": {
                    "judgment": "CORRECT" if one.is_passed else "WRONG",
                    "score": float(one.is_passed),
                    "generated_answer": one.answer,
                    "reason": "The reply says so.",
                }
            },
        }
        for number, one in enumerate(outcomes)
    ]
    overall = {"total": len(outcomes), "accuracy": 100 * _mean(outcomes)}
    return {
        "metadata": {"judge_model": "judge-1"},
        "metrics_by_cutoff": {"top_50": {"overall": overall}},
        "evaluations": evaluations,
    }


def memorybench(outcomes: Sequence[Outcome]) -> Fields:
    evaluations = [
        {
            "questionId": f"conv-99-q{number}",
            "questionType": "single-hop",
            "question": _question(number),
            "score": int(one.is_passed),
            "label": "correct" if one.is_passed else "incorrect",
            "explanation": "same",
            "hypothesis": one.answer,
            "groundTruth": "Arden",
        }
        for number, one in enumerate(outcomes)
    ]
    summary = {"totalQuestions": len(outcomes), "accuracy": _mean(outcomes)}
    return {
        "provider": "notes",
        "benchmark": "locomo",
        "judge": "judge-1",
        "summary": summary,
        "evaluations": evaluations,
    }


def omb(outcomes: Sequence[Outcome]) -> Fields:
    results = [
        {
            "query_id": f"conv-26_q{number}",
            "query": _question(number),
            "answer": one.answer,
            "gold_answers": ["Arden"],
            "correct": one.is_passed,
            "judge_reason": "same",
            "meta": {"category": "open-domain"},
        }
        for number, one in enumerate(outcomes)
    ]
    return {
        "dataset": "locomo",
        "memory_provider": "notes",
        "judge_llm": "judge-1",
        "total_queries": len(outcomes),
        "accuracy": _mean(outcomes),
        "results": results,
    }


def locomo(outcomes: Sequence[Outcome]) -> list[Fields]:
    questions = [
        {
            "question": _question(number),
            "answer": "Arden",
            "category": 4,
            "evidence": ["D1:1"],
            "notes_prediction": one.answer,
            "notes_f1": float(one.is_passed),
        }
        for number, one in enumerate(outcomes)
    ]
    return [{"sample_id": "conv-99", "qa": questions}]


def hypotheses(outcomes: Sequence[Outcome]) -> list[Fields]:
    return [
        {
            "question_id": f"q{number}",
            "hypothesis": one.answer,
            "autoeval_label": {"model": "judge-1", "label": one.is_passed},
        }
        for number, one in enumerate(outcomes)
    ]


def nous(outcomes: Sequence[Outcome]) -> list[Fields]:
    return [
        {
            "source": "factconsolidation_sh_6k",
            "instance_id": "factconsolidation_sh_6k#0",
            "qa_pair_id": f"factconsolidation_sh_6k_no{number}",
            "prompt": _question(number),
            "answer": one.answer,
            "golds": ["Arden"],
            "correct": one.is_passed,
            "error": None,
            "judge_model": "judge-1",
            "judge_correct": one.is_passed,
        }
        for number, one in enumerate(outcomes)
    ]


# The name of each format, what writes its content, and whether that is an object a line.
LAYOUTS: dict[str, tuple[str, Callable[[Sequence[Outcome]], Any], bool]] = {
    "evermemos": ("evermemos", evermemos, False),
    "exia": ("exia", exia, False),
    "exia, one conversation": ("exia", exia_one, False),
    "lobu": ("lobu", lobu, False),
    "mem0": ("mem0-benchmarks", mem0, False),
    "memorybench": ("memorybench", memorybench, False),
    "omb": ("omb", omb, False),
    "locomo": ("locomo-results", locomo, False),
    "longmemeval": ("longmemeval-hypotheses", hypotheses, True),
    "nous": ("nous", nous, True),
}


def write(path: Path, content: Any, *, is_lines: bool = False) -> Path:
    """Write a made-up file: a document, or an object a line."""
    text = "\n".join(map(json.dumps, content)) if is_lines else json.dumps(content)
    path.write_text(text, encoding="utf-8")
    return path
