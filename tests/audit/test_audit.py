import json
from pathlib import Path

import pytest

from mabench.audit import Audit, audit
from mabench.data import Row
from mabench.loading import catalogue_of, load
from mabench.reports.data_reports import (
    audit_sentence,
    audit_tables,
    guess_remarks,
    repeat_remarks,
)
from mabench.scoring import Catalogue
from tests.rows import dataset, row, two_rows

_FILM = "<http://dbpedia.org/resource/{}>"
FILMS = Catalogue({_FILM.format("It_(2017_film)"): 1, _FILM.format("The_Big_Heat"): 2})
OPTIONS = "What comes next?\n\n['Ann left.', 'Bob fell.']\n\nChoose."
DEMONSTRATIONS = "Lost my card\nlabel: 7\n\nA text\nin two lines\nlabel: 9"


def _flagged(*rows: Row, catalogue: Catalogue | None = FILMS) -> list[tuple[int, str]]:
    found = audit(dataset(rows), catalogue)
    return [(flag.question_index, flag.reason) for flag in found.flags]


def test_sound_rows_are_not_flagged_and_what_tells_agents_where_answers_are_is_named() -> None:
    found = audit(dataset(two_rows()), FILMS)
    assert found.questions == 5
    # "300 m" does not stand in the document, but another gold does.
    assert (found.flags, {*found.counts().values()}) == ([], {0})
    assert (
        audit_sentence(found) == "Of 5 questions, none has a gold that is doubtful by our checks."
    )
    assert audit_tables(found, brief=True) == []
    # Facts alone have a rule.
    assert found.ceilings() == found.as_dict()["ceilings"] == {"factconsolidation_sh_6k": 100.0}
    assert found.leaks == {}
    made = audit(load("synthetic:small"))
    assert [*made.leaks] == ["longmemeval_s*"]
    assert "has_answer" in made.leaks["longmemeval_s*"]
    assert made.as_dict()["leaks"] == made.leaks


@pytest.mark.parametrize(
    ("source", "context", "question", "answers", "reasons"),
    [
        ("ruler_qa1_197K", "The X.", "Q?", ["The", "X"], ["gold-empty"]),
        ("ruler_qa1_197K", "Ann came.", "Q?", ["Bob"], ["gold-absent"]),
        ("ruler_qa2_421K", "Ann came.", "Q?", ["yes"], []),
        ("ruler_qa1_197K", "ANN, CAME!", "Q?", ["Ann came"], []),
        ("factconsolidation_mh_6k", "0. Ann came.", "Q?", ["Rome"], ["gold-absent"]),
        ("icl_nlu_8296shot_balance", DEMONSTRATIONS, "lost my  CARD", ["7"], ["text-shown"]),
        ("icl_nlu_8296shot_balance", DEMONSTRATIONS, "A text\nin two lines", ["9"], ["text-shown"]),
        ("icl_nlu_8296shot_balance", DEMONSTRATIONS, "my card", ["7"], []),
        ("eventqa_full", "Story.", OPTIONS, ["Ann left."], []),
        ("eventqa_full", "Story.", OPTIONS, ["Cy left."], ["gold-not-offered"]),
        ("detective_qa", "Story.", "Who?\nA. Ann\nB. Bob", ["B.Bob"], []),
        ("detective_qa", "Story.", "Who?\nA. Ann\nB. Bob", ["A. Bob"], ["gold-not-offered"]),
        ("ruler_qa1_197K", "In 1018, 1064.", "Q?", ["1018", "1064"], ["candidates-contradict"]),
        ("ruler_qa1_197K", "yes", "Q?", ["yes", "no"], ["candidates-contradict"]),
        ("ruler_qa1_197K", "24 July 1817", "Q?", ["24 July 1817", "July 24, 1817"], []),
        ("ruler_qa1_197K", "1,000 men", "Q?", ["1,000", "1000 men", "a thousand"], []),
        ("recsys_redial_full", "", "\nUser: Hi\nSystem: ", ["1", "99"], ["entity-unknown"]),
        ("recsys_redial_full", "", "\nUser: The Big Heat?\n", ["2"], ["gold-already-named"]),
        ("recsys_redial_full", "", "\nUser: It (2017)?\n", ["1"], ["gold-already-named"]),
        ("recsys_redial_full", "", "\nUser: It is late\n", ["1"], []),
        ("infbench_sum_eng_shots2", "Story.", "Sum up.", ["Not in it."], []),
    ],
)
def test_a_doubtful_gold_is_flagged_with_its_reason(
    source: str, context: str, question: str, answers: list[str], reasons: list[str]
) -> None:
    doubtful = row(source, context, [(question, answers)])
    assert _flagged(doubtful) == [(0, reason) for reason in reasons]
    if source == "recsys_redial_full":  # Without entities such rows are left alone.
        assert _flagged(doubtful, catalogue=None) == []


def test_a_question_asked_twice_with_other_golds_is_flagged_both_times() -> None:
    pairs = [("Who?", ["Ann"]), ("who? ", ["Bob"]), ("Who?", ["Ann"]), ("When?", ["Ann"])]
    facts = row("factconsolidation_sh_6k", "Ann Bob", pairs)
    assert _flagged(facts) == [(index, "asked-twice") for index in range(3)]
    # Each names one with other golds, not the one that has the same.
    named = [flag.detail.split()[1] for flag in audit(dataset([facts]), FILMS).flags]
    assert named == ["1", "0", "1"]


def test_an_answerable_question_without_a_gold_turn_is_flagged() -> None:
    chats = row("longmemeval_s*", "[]", [(f"Question {n}?", ["Bern"]) for n in range(3)])
    said = {"content": "I moved to Bern.", "role": "user"}
    sessions = [[[{**said, "has_answer": marked}]] for marked in (True, False, False)]
    more = {"haystack_sessions": sessions, "question_ids": ["1", "2", "3_abs"]}
    metadata = {**chats.metadata, **more}
    assert _flagged(chats.model_copy(update={"metadata": metadata})) == [(1, "no-gold-turn")]


def test_an_audit_is_json_with_its_counts_and_fingerprint() -> None:
    rows = [row("ruler_qa1_197K", "Ann came.", [("Q?", ["Bob"]), ("R?", ["Ann"])])]
    audited = audit(dataset(rows))
    found = json.loads(json.dumps(audited.as_dict()))
    assert (found["schema"], found["questions"]) == (1, 2)
    assert found["fingerprint"] == dataset(rows).fingerprint
    assert found["counts"]["gold-absent"] == 1
    place = {"split": "Accurate_Retrieval", "row": 0, "question_index": 0}
    place |= {"qa_pair_id": "ruler_qa1_197K_no0", "source": "ruler_qa1_197K"}
    why = {"reason": "gold-absent", "detail": "none of ['Bob'] occurs in the context"}
    assert found["flags"] == [place | why]
    assert audit_tables(audited)[0].plain_rows == [["ruler_qa1_197K", 0, 0, *why.values()]]
    assert len(audit_tables(audited, brief=True)) == 1, "one reason, which the sentence says"
    said = "Of 2 questions, 1 has a doubtful gold: no gold occurs in the history."
    assert audit_sentence(audited) == said


FLAGS = """0. Ada Finch sails under the flag of Orland.
1. Bo Marsh sails under the flag of Tarn.
2. Cy Holt sails under the flag of Orland.
3. The harbour of Orland is guarded by Cy Holt.
4. The harbour of Tarn is guarded by Ada Finch.
5. The harbour of Norrow is guarded by Bo Marsh.
6. Ada Finch sails under the flag of Tarn.
"""


@pytest.mark.parametrize(
    ("question", "gold", "detail"),
    [
        ("Under which flag does Ada Finch sail?", "Tarn", None),
        (
            *("Under which flag does Ada Finch sail?", "Orland"),
            "needs 0. Ada Finch sails under the flag of Orland.; "
            "the rule gives 6. Ada Finch sails under the flag of Tarn.",
        ),
        ("Who guards the harbour of the land under whose flag Ada Finch sails?", "Ada Finch", None),
        (
            *("Who guards the harbour of the land under whose flag Ada Finch sails?", "Cy Holt"),
            "needs 0. Ada Finch sails under the flag of Orland. > "
            "3. The harbour of Orland is guarded by Cy Holt.; "
            "the rule gives 6. Ada Finch sails under the flag of Tarn. > "
            "4. The harbour of Tarn is guarded by Ada Finch.",
        ),
        # What no facts give may have been asked about otherwise than it was understood.
        ("Under which flag does Ada Finch sail?", "Norrow", None),
    ],
)
def test_a_gold_that_needs_a_superseded_fact_is_flagged_with_both_chains(
    question: str, gold: str, detail: str | None
) -> None:
    found = audit(dataset([row("factconsolidation_mh_6k", FLAGS, [(question, [gold])])]))
    flags = [(flag.reason, flag.detail) for flag in found.flags]
    assert flags == ([("gold-superseded", detail)] if detail else [])
    assert found.ceilings() == {"factconsolidation_mh_6k": 0.0 if detail else 100.0}
    best = "A memory that follows the rule of factconsolidation_mh_6k gets at most 0.0 there."
    assert (best in audit_sentence(found)) is bool(detail)


@pytest.mark.slow
def test_real_rows_are_audited_as_the_docs_say(real_data: Path) -> None:
    data = load(real_data / "mab-dev", offline=True)
    audited = audit(data, catalogue_of(data, real_data / "entity2id.json"))
    assert 0 < len(audited.flags) < 40
    # All 13 flags of mh_32k were read: a later fact of the history contradicts each gold.
    ceilings = audited.ceilings()
    sources = ("mh_6k", "mh_32k", "sh_6k", "sh_32k")
    found = tuple(round(ceilings[f"factconsolidation_{name}"]) for name in sources)
    assert found == (96, 87, 100, 98)
    page = Path(__file__).parents[2] / "docs" / "explanation" / "floor.md"
    sentence = "the maximum is {} and {} (mh) and {} and {} (sh)".format(*found)
    assert sentence in " ".join(page.read_text(encoding="utf-8").split())


@pytest.mark.parametrize(
    ("said", "mark"),
    [
        ("[evidence] Amal: I moved to Oslo.", "[evidence]"),
        ("{'content': 'I moved', 'has_answer': True}", "'has_answer': true"),
        ('{"text": "I moved", "containsEvidence": true}', '"containsevidence": true'),
        ("The evidence has an answer: [sic] it is true.", None),
        ("{'has_answer': False}", None),
    ],
)
def test_marks_of_answers_are_found_in_any_history(said: str, mark: str | None) -> None:
    own: dict[str, object] = {"context": f"{said}\nBo: Ok.", "questions": ["Where?"]}
    own |= {"answers": [["Oslo"]], "metadata": {"source": "mine", "qa_pair_ids": ["a"]}}
    marks = audit(load([own], sources={"mine": {"family": "answer"}})).marks
    assert ([*marks] == ["mine"]) is (mark is not None)
    assert mark is None or f"`{mark}` (1 times)" in marks["mine"]


def _told(*sessions: str) -> dict[str, object]:
    """A history of own data in which each session is one turn."""
    turns = [
        {"id": f"t{n}", "session": f"s{n}", "speaker": "Amal", "text": text}
        for n, text in enumerate(sessions, start=1)
    ]
    asked: dict[str, object] = {"questions": ["Where?"], "answers": [["Oslo"]]}
    return {**asked, "context": turns, "metadata": {"source": "mine", "qa_pair_ids": ["a"]}}


def test_sessions_that_are_told_twice_are_counted_with_a_place() -> None:
    long, other = "I moved to Oslo. " * 10, "I have a cat now. " * 10
    rows = [
        _told(long, other, f" {long}\n", "Hi!", "Hi!"),  # Greetings may be said twice.
        _told(long, other),  # Other histories tell what they like.
        _told(other, other, other),
    ]
    sources = {"mine": {"family": "answer"}}
    audited = audit(load(rows, sources=sources))
    found = audited.repeats["mine"]
    assert (found.sessions, found.repeated, found.histories) == (8, 3, 2)
    assert (found.row, found.session, found.first) == (0, "s3", "s1")
    assert json.loads(json.dumps(audited.as_dict()))["repeats"]["mine"]["repeated"] == 3
    [said] = repeat_remarks(audited.repeats)
    assert said.startswith("In mine, 3 of 8 sessions repeat an earlier one word for word, in 2 h")
    assert "such as s3 and s1 of row 0" in said
    assert audit(load([rows[1]], sources=sources)).repeats == {}


def test_repeated_sessions_are_found_in_a_list_of_chats() -> None:
    session = [{"role": "user", "content": "I moved to Oslo. " * 10}]
    chats = ["Chat Time: 2024/05/03 (Fri) 10:00", session] * 2
    found = audit(dataset([row("longmemeval_s*", repr(chats), [("Where?", ["Oslo"])])]))
    repeats = found.repeats["longmemeval_s*"]
    assert (repeats.repeated, repeats.session, repeats.first) == (1, "session_2", "session_1")


def _choosing(golds: str, texts: tuple[str, ...]) -> Audit:
    """Audit questions whose golds are these letters of options with these texts."""
    options = "\n".join(f"{letter}. {text}" for letter, text in zip("ABCD", texts, strict=False))
    own: dict[str, object] = {"context": "Nothing.", "metadata": {"source": "mine"}}
    own |= {"questions": [f"Which {n}?\n{options}" for n in range(len(golds))]}
    own |= {"answers": [[gold] for gold in golds]}
    return audit(load([own], sources={"mine": {"family": "choice"}}))


def test_options_that_can_be_guessed_are_named() -> None:
    texts = ("rye", "oats and rye", "corn", "rice")
    found = _choosing("ABCD" * 10 + "B" * 60, texts)
    guesses = found.guesses["mine"]
    assert (guesses.questions, guesses.chance, guesses.longest) == (100, 25, 70)
    assert guesses.letters == {"A": 10, "B": 70, "C": 10, "D": 10}
    [said] = guess_remarks(found.guesses)
    assert said == (
        "Of 100 questions of mine with options, always the longest option gets 70 % right and "
        "always B 70 %; a random one gets 25 %."
    )
    assert found.as_dict()["guesses"]["mine"]["longest"] == 70


def test_options_that_cannot_be_guessed_are_not() -> None:
    even = _choosing("ABCD" * 20, ("rye", "oats", "corn", "rice"))
    assert even.guesses["mine"].uneven is False
    assert guess_remarks(even.guesses) == []
    assert guess_remarks(_choosing("BBAB", ("rye", "oats")).guesses) == [], "4 questions say little"
    assert audit(dataset(two_rows())).guesses == {}
