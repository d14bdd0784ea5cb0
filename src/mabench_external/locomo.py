"""LoCoMo (``locomo10.json``): long conversations of two people, and questions of five categories.

The file is a list of conversations, each of which becomes a row. Every turn stands on a line that
begins with the date of its session, so that a chunk tells when its turns were said.

The published metric is an F1 over stems by category (arXiv 2402.17753). The corrected score reads
answers by the rules for answers taken from a history; a judge can stand beside both.
"""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Callable
from functools import cache, lru_cache, partial
from pathlib import Path

from mabench.data.inventory import FileFormat, Source
from mabench.data.records import Problem, Record
from mabench.families.family import Family, ScoringInput, budgets
from mabench.families.parts import needs_metadata, pass_or_fail, read_prompts, split_before
from mabench.installation import import_lock
from mabench.scoring import Corrected, correct_answer, correct_unanswerable
from mabench_external.dates import read_dates
from mabench_external.parts import History, Part, left_out, row_of

SOURCE = Source("locomo", split="LoCoMo", family="locomo")
_FIELDS = frozenset({"conversation", "qa"})

# The categories by their numbers in the file.
CATEGORIES = {
    1: "multi-hop",
    2: "temporal",
    3: "open-domain",
    4: "single-hop",
    5: "adversarial",
}
# The gold of questions that nothing in the conversation answers. The file has none for most.
NOTHING_KNOWN = "No information available"

_SESSION = re.compile(r"session_(\d{1,9})")
_DATE = re.compile(r"session_(\d{1,9})_date_time")
# An id of a turn as it should be, ``D8:6``, and in the forms that slips of the file take.
_EVIDENCE = re.compile(r"D\s{0,9}:?\s{0,9}(\d{1,9})\s{0,9}:\s{0,9}(\d{1,9})")
_TURN_FIELDS = frozenset({"speaker", "dia_id", "text", "blip_caption"})
_QUESTION_FIELDS = frozenset({"question", "answer", "evidence", "category"})
# What a row has in place of what is left out.
_SUMMARIES = "the turns that these are made from"
_CAPTIONS = "the captions of pictures, which agents can read"
_KEPT = {
    **dict.fromkeys(("event_summary", "observation", "session_summary"), _SUMMARIES),
    **dict.fromkeys(("img_url", "query", "re-download"), _CAPTIONS),
    **dict.fromkeys(("speaker_a", "speaker_b"), "the speaker before each turn"),
    "dates without a session": "the dates of sessions",
    "sessions without a turn": "sessions in which something was said",
    "adversarial_answer": "the right answers; these are baits",
}
_NO_OTHER = "the fields of turns and questions"


def _row(record: Record) -> tuple[dict[str, object], list[Problem]]:
    whole = Part(record, record.content)
    name = whole["sample_id"].of(str)
    ignored = Counter({key: 1 for key in whole.value if key not in {*_FIELDS, "sample_id"}})
    history = _history(whole["conversation"], ignored)
    known = {turn["id"] for turn in history.turns}
    problems: list[Problem] = []
    questions, answers, types, evidence = [], [], [], []
    for question in whole["qa"].items():
        category, answer = question["category"], question["answer"]
        if category.of(int) not in CATEGORIES:
            raise category.fault("a category from 1 to 5")
        types.append(CATEGORIES[category.value])
        questions.append(question["question"].text())
        unknown = answer.value is None and types[-1] == "adversarial"
        answers.append([NOTHING_KNOWN if unknown else answer.answer()])
        ids, faults = _evidence(question["evidence"], known)
        evidence.append(ids)
        problems += faults
        ignored.update(key for key in question.value if key not in _QUESTION_FIELDS)
    metadata = {
        "source": SOURCE.name,
        "qa_pair_ids": [f"{name}_q{i}" for i in range(len(questions))],
        "question_types": types,
    }
    problems += history.check(record)
    problems += left_out(record, ignored, _KEPT, _NO_OTHER)
    row = {"context": history.text, "questions": questions, "answers": answers}
    added = {"turns": history.turns, "evidence": evidence}
    return {**row, "metadata": metadata, **added}, problems


def _history(conversation: Part, ignored: Counter[str]) -> History:
    """Return the sessions in the order of their numbers; dates without a session are counted."""
    history, fields = History(), conversation.of(dict)
    numbers = sorted(int(found[1]) for key in fields if (found := _SESSION.fullmatch(key)))
    dated = [conversation[f"session_{number}_date_time"] for number in numbers]
    times = read_dates([one.value for one in dated])
    for number, date_time, time in zip(numbers, dated, times, strict=True):
        name = f"session_{number}"
        date = date_time.of(str) if date_time.is_there else name.replace("_", " ")
        if history.turns:
            history.add("\n")
        turns = conversation[name].items()
        ignored["sessions without a turn"] += not turns
        for turn in turns:
            speaker, turn_id = turn["speaker"].of(str), turn["dia_id"].of(str)
            said, caption = turn["text"].of(str), turn["blip_caption"]
            if caption.value is not None:  # What can be seen on a picture that was shown.
                said = f"{said} [picture: {caption.of(str)}]".lstrip()
            history.add(f"[{date}] {speaker}: ")
            history.say(name, turn_id, said, time, speaker=speaker)
            history.add("\n")
            ignored.update(key for key in turn.value if key not in _TURN_FIELDS)
    dated_sessions = (found[1] for key in fields if (found := _DATE.fullmatch(key)))
    ignored.update(key for key in fields if not (_SESSION.fullmatch(key) or _DATE.fullmatch(key)))
    ignored["dates without a session"] += sum(int(one) not in numbers for one in dated_sessions)
    return history


def _evidence(listed: Part, known: set[str]) -> tuple[list[str], list[Problem]]:
    """Return the ids of the turns that a question rests on, and those that cannot be read.

    Ids that name no turn of the conversation stay, since nothing tells what they mean.
    """
    ids: list[str] = []
    problems = []
    for item in listed.items():
        found = _EVIDENCE.findall(item.of(str))
        read = [f"D{int(session)}:{int(turn)}" for session, turn in found]
        ids += read
        if not read or not known.issuperset(read):
            expected = "the id of a turn of the conversation, such as D1:3; it tells no evidence"
            problems.append(item.doubt(expected))
    return list(dict.fromkeys(ids)), problems


FORMAT = FileFormat(
    sources=(SOURCE,),
    published="the file locomo10.json",
    fields=_FIELDS,
    items="conversations",
    rows=partial(row_of, split=SOURCE.split, read=_row),
)


_PROMPTS = Path(__file__).with_name("prompts.toml")
_METRIC = "f1"
_UNANSWERABLE = "adversarial"
# A turn's line begins with the date of its session.
_TURN = re.compile(r"^\[[^\]\n]+\] [^:\n]+: ", re.MULTILINE)
_SIGNS = str.maketrans("", "", string.punctuation)
_ARTICLES = re.compile(r"\b(?:a|an|the|and)\b")
_DECLINING = ("no information available", "not mentioned")


def _published(case: ScoringInput) -> float:
    prediction, golds = case.prediction, case.answers
    if case.question_type == _UNANSWERABLE:
        return float(any(phrase in prediction.lower() for phrase in _DECLINING))
    if case.question_type == "open-domain":
        golds = [_first_part(gold) for gold in golds]
    f1 = _several_f1 if case.question_type == "multi-hop" else _stem_f1
    return max(f1(prediction, gold) for gold in golds)


def _several_f1(prediction: str, answer: str) -> float:
    """Return how well the answers between commas are met: the mean of the best F1 of each."""
    said = [*map(_stems, dict.fromkeys(map(str.strip, prediction.split(","))))]
    wanted = [_stems(part.strip()) for part in answer.split(",")]
    best = [max(_counted_f1(one, gold) for one in said) for gold in wanted]
    return sum(best) / len(best)


def _stem_f1(prediction: str, answer: str) -> float:
    """Return the F1 of the stems of two texts, counted as often as they stand, from 0 to 1."""
    return _counted_f1(_stems(prediction), _stems(answer))


def _stems(text: str) -> Counter[str]:
    return Counter(map(_stem, _ARTICLES.sub(" ", text.translate(_SIGNS).lower()).split()))


def _counted_f1(said: Counter[str], wanted: Counter[str]) -> float:
    if said.keys().isdisjoint(wanted):
        return 0.0
    common = (said & wanted).total()
    precision, recall = common / said.total(), common / wanted.total()
    return 2 * precision * recall / (precision + recall)


def _first_part(answer: str) -> str:
    """Return an answer up to its first semicolon, behind which others give reasons."""
    return answer.partition(";")[0].strip()


@cache
def _stemmer() -> Callable[[str], str]:
    with import_lock:  # Takes a while, so only when it is used.
        from nltk.stem.porter import PorterStemmer

    stem: Callable[[str], str] = PorterStemmer().stem
    return stem


@lru_cache(maxsize=100_000)
def _stem(word: str) -> str:
    return _stemmer()(word)


def _read(case: ScoringInput) -> Corrected:
    prediction, golds, question = case.prediction, case.answers, case.question
    if case.question_type == _UNANSWERABLE:
        declined = correct_unanswerable(prediction, question)
        # Two of these questions have a gold: the "No" to what was not so.
        given = [gold for gold in golds if gold != NOTHING_KNOWN]
        if declined.value == 1 or not given:
            return declined
        return correct_answer(prediction, given, question)
    if case.question_type == "multi-hop":
        return correct_answer(prediction, golds, question, shares=True)
    if case.question_type == "open-domain":
        golds = [*golds, *(_first_part(gold) for gold in golds)]
    return correct_answer(prediction, golds, question)


def _ideal(case: ScoringInput) -> str:
    """Return the gold as the published metric wants it."""
    if case.question_type == _UNANSWERABLE:
        return NOTHING_KNOWN
    return _first_part(case.answers[0]) if case.question_type == "open-domain" else case.answers[0]


FAMILY = Family(
    name="locomo",
    prompts=read_prompts("locomo", _PROMPTS),
    units=lambda context: split_before(_TURN, context),
    budgets=budgets(paper=(512, 50), repository=(4096, 50)),
    metric=_METRIC,
    official=lambda case: {_METRIC: _published(case)},
    corrected=lambda case: {_METRIC: _read(case)},
    ideal=_ideal,
    rubric=pass_or_fail(
        read_prompts("locomo.judges", _PROMPTS),
        lambda case: "judge_unanswerable" if case.question_type == _UNANSWERABLE else "judge",
    ),
    judge_beside=True,
    row_checks=(needs_metadata("locomo", "question_types"),),
)
