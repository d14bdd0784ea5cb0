"""Names said otherwise, mentions that say whose or when something else is, and paraphrases."""

from __future__ import annotations

import pytest

from mabench import score_answer
from tests.scoring.readings import allowed

_SOURCE = "ruler_qa1_197K"
_KERN = "Who was the first head of the school?"


def _verdict(source: str, gold: str, said: str, question: str) -> str | None:
    return score_answer(source, said, [gold], question=question).verdict


@pytest.mark.parametrize(
    ("gold", "said"),
    [
        ("Otto Emil Brandt", "Otto Brandt"),
        ("Otto Emil Brandt", "It was O. E. Brandt."),
        ("Otto Emil Brandt", "Otto E. Brandt"),
        ("Otto Emil Brandt", "Brandt, Otto Emil"),
        ('William "Bill" Ferro', "Bill Ferro was the first."),
        ("64%", "64"),
        ("12 metres", "12"),
    ],
)
def test_a_name_or_number_may_be_said_otherwise(gold: str, said: str) -> None:
    assert _verdict(_SOURCE, gold, said, _KERN) == "right"


@pytest.mark.parametrize(
    ("gold", "said"),
    [
        ("Otto Emil Brandt", "K. E. Brandt"),
        ("Otto I", "I could only guess."),
        ("Otto I", "Otto II"),
        ("Otto Emil Brandt", "Otto Emil Brandt's sister Lene"),
        ('William "Bill" Ferro', "Bill Murray"),
        ("64%", "64 people of 900"),
        ("12 BC", "12"),
    ],
)
def test_other_names_and_numbers_stay_wrong(gold: str, said: str) -> None:
    assert _verdict(_SOURCE, gold, said, _KERN) in allowed("wrong")


@pytest.mark.parametrize(
    ("gold", "said", "question"),
    [
        ("2.5 kg", "2,500 grams", "How heavy is the lamp?"),
        ("90 minutes", "an hour and a half", "How long does it last?"),
        ("two weeks", "a fortnight", "How long was he ill?"),
        ("25%", "a quarter", "What share of the votes did she get?"),
        ("5:30 pm", "at 17:30", "When does the ferry leave?"),
        ("King Aldric III", "Aldric the Third", "Who built the castle?"),
        ("Anders Holt", "Chairman Holt", "Who is the chairman of Rova?"),
        ("Mohammed Aziz", "Muhammad Aziz", "Who flew the plane?"),
        ("Lake Varne", "the Varne", "Which lake is it?"),
        ("Ministry of Finance", "the finance ministry", "Who issued the order?"),
        ("painter", "He made his living by painting.", "What was his trade?"),
        ("Norwegian", "She was from Norway.", "What is her nationality?"),
        ("theatre", "at the theater", "Where did they meet?"),
        ("her dog Rex", "Rex", "Who keeps Ann company?"),
        ("7 May 2023", "yesterday (message of 8 May 2023)", "When did she go?"),
        ("19 June 2023", "June 19th", "When did she paint?"),
    ],
)
def test_what_comes_to_the_same_is_the_same(gold: str, said: str, question: str) -> None:
    assert _verdict(_SOURCE, gold, said, question) == "right"


@pytest.mark.parametrize(
    ("gold", "said", "question", "verdict"),
    [
        ("2.5 kg", "25 kg", "How heavy is the lamp?", "wrong"),
        ("9 a.m.", "9 pm", "When did the shop open?", "wrong"),
        ("Jane Parker", "Jane Park", "Who is it?", "wrong"),
        ("Martin Voss", "Martina Voss", "Who is it?", "unclear"),
        ("Aldric III", "Aldric II", "Who built it?", "wrong"),
        ("Tom finds the mayor of Hollin", "The mayor of Hollin finds Tom", "What?", "unclear"),
        ("19 June 2023", "19 June 2022", "When did she paint?", "wrong"),
    ],
)
def test_what_is_nearly_the_same_is_not_right(
    gold: str, said: str, question: str, verdict: str
) -> None:
    assert _verdict(_SOURCE, gold, said, question) in allowed(verdict)


def test_whose_it_is_may_be_what_is_asked() -> None:
    question = "Whose brother led the school?"
    assert _verdict(_SOURCE, "Ann Hale", "Ann Hale's brother", question) == "right"


@pytest.mark.parametrize(("gold", "verdict"), [("1934", "right"), ("1932", "wrong")])
def test_the_year_is_that_of_what_is_asked(gold: str, verdict: str) -> None:
    said = "It was begun in 1932 and completed in 1934."
    assert _verdict(_SOURCE, gold, said, "When was the dam completed?") in allowed(verdict)


@pytest.mark.parametrize(("gold", "verdict"), [("no", "right"), ("yes", "wrong")])
def test_of_both_one_is_not(gold: str, verdict: str) -> None:
    said = "Ann Hale is a singer, but Ben Cole is not."
    assert _verdict(_SOURCE, gold, said, "Are Ann Hale and Ben Cole both singers?") in allowed(
        verdict
    )


def test_numbers_of_a_quoted_text_are_no_labels() -> None:
    asked = "Label the text.\n\nWake me at 6 with 3 songs, please\n\nlabel:"
    said = 'The label of "Wake me at 6 with 3 songs, please" is 48.'
    assert _verdict("icl_nlu_8296shot_balance", "48", said, asked) == "right"


_EVENTS = (
    "These events have happened:\n1. Rolf rows home.\n\nPossible subsequent events:\n\n"
    "['Rolf finds the cabin empty and calls for his brother.', 'Rolf sells the old boat.', "
    "'Marit refuses to come along.', 'The keeper finds the lamp broken.']\n\nChoose one."
)


@pytest.mark.parametrize(
    ("said", "verdict"),
    [
        ("Rolf found the cabin empty and called for his brother.", "right"),
        ("I believe the next event is Rolf finding the cabin empty, calling his brother.", "right"),
    ],
)
def test_an_event_may_be_told_in_other_forms_of_its_words(said: str, verdict: str) -> None:
    gold = "Rolf finds the cabin empty and calls for his brother."
    assert _verdict("eventqa_full", gold, said, _EVENTS) in allowed(verdict)


_GOLD = "A. To meet his brother, who had escaped from prison"
_REASONS = (
    "Now Answer the Question: Why did the colonel travel?\n"
    "A. To meet his brother, who had escaped from prison\nB. To sell the forged bonds\n"
    "C. To visit a doctor in the city\nD. To see his lawyer about the will\n Output:"
)


@pytest.mark.parametrize(
    ("said", "verdict"),
    [
        ("He said that he would meet his brother, but he sold the forged bonds.", "wrong"),
        ("He went for a walk.", "wrong"),
    ],
)
def test_a_long_option_may_be_told_in_its_own_words(said: str, verdict: str) -> None:
    gold = _GOLD
    assert _verdict("detective_qa", gold, said, _REASONS) in allowed(verdict)


@pytest.mark.parametrize(("gold", "verdict"), [("no", "right"), ("yes", "wrong")])
def test_only_one_of_both_is(gold: str, verdict: str) -> None:
    question = "Are Ann Hale and Ben Cole both singers?"
    assert _verdict(_SOURCE, gold, "Only Ben Cole is a singer.", question) in allowed(verdict)


def test_what_was_until_it_changed_is_rejected() -> None:
    said = "Otto Brandt was the head until fact 12 changed it to Lene Voss."
    assert _verdict("factconsolidation_sh_6k", "Otto Brandt", said, "Who is it?") in allowed(
        "wrong"
    )
    assert _verdict("factconsolidation_sh_6k", "Lene Voss", said, "Who is it?") == "right"


def test_two_ordinals_are_two() -> None:
    gold, said = "8th and 9th centuries", "in the eighth and ninth centuries"
    assert _verdict(_SOURCE, gold, said, "When?") == "right"


def test_options_that_are_ruled_out_one_after_the_other() -> None:
    said = "After ruling out B, C and D, only A remains."
    assert _verdict("detective_qa", _GOLD, said, _REASONS) == "right"


def test_what_is_said_behind_all_clauses_that_are_read_is_unclear() -> None:
    said = " ".join(f"Page {n}: a list." for n in range(300)) + " It names Bern among others."
    assert _verdict(_SOURCE, "Bern", said, "Where does Ann live?") == "unclear"


@pytest.mark.parametrize(
    ("gold", "said", "question", "verdict"),
    [
        ("Aldric VII", "Aldric VIII", "Who built it?", "wrong"),
        ("Brüning", "Bruening took office.", "Who took office?", "right"),
        ("Ann Hale", "It is Ann Hale's brother.", "Who is the head?", "wrong"),
        ("Ann Hale", "The brother of Ann Hale.", "Who is the head?", "wrong"),
        ("Otto Brandt", "Dr. Otto Brandt, PhD", "Who is the head?", "right"),
        ("5:30 pm", "It starts at 5.30 pm.", "When does it start?", "right"),
        ("Oslo", "It was listed in Rome. A later fact moves it to Oslo.", "Where is it?", "right"),
        ("Rome", "It was listed in Rome. A later fact moves it to Oslo.", "Where is it?", "wrong"),
        (
            *("Oslo", "Lene Voss is married to Emil Tarr. Emil Tarr's child is Nora Tarr. "),
            *("Where was the child of Lene Voss's husband born?", "right"),
        ),
    ],
)
def test_names_steps_and_newer_facts(gold: str, said: str, question: str, verdict: str) -> None:
    said += "Nora Tarr was born in the city of Oslo." * said.endswith(" ")
    assert _verdict("factconsolidation_sh_6k", gold, said, question) in allowed(verdict)


def test_who_is_married_to_the_author_is_a_step_only_of_a_chain() -> None:
    said = "The Cold Harbour was written by Daniel Kerr, who is married to Mina Ostrow."
    for question, verdict in (
        ("Who is the spouse of the author of The Cold Harbour?", "right"),
        ("Who wrote The Cold Harbour?", "wrong"),
    ):
        assert _verdict("factconsolidation_mh_6k", "Mina Ostrow", said, question) in allowed(
            verdict
        )


def test_the_one_label_of_a_clause_of_its_own_is_the_label() -> None:
    said = "It resembles examples with label 64 (rates) and label 61 (fees). So, label: 61"
    asked = "Label the text.\n\nWhy was I charged a fee?\n\nlabel:"
    assert _verdict("icl_banking77_5900shot_balance", "61", said, asked) == "right"
    assert _verdict("icl_banking77_5900shot_balance", "64", said, asked) in allowed("wrong")
    assert (
        _verdict("icl_banking77_5900shot_balance", "64", "label: 61, label: 64", asked) == "wrong"
    )
