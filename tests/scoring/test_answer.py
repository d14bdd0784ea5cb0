"""The rule for answers taken from the history."""

from __future__ import annotations

import pytest

from mabench.scoring import Corrected, correct_answer, correct_unanswerable
from tests.scoring.readings import allowed


@pytest.mark.parametrize(
    ("prediction", "gold", "right"),
    [
        ("in Rome.", "Rome", True),
        ("\uff32\uff4f\uff4d\uff45\u200b", "Rome", True),
        ("Roch Kabor\u00e9", "roch kabore", True),
        ("Kabore\u0301", "Kabor\u00e9", True),
        ("Schr\u00f6dinger", "Schrodinger", True),
        ("S\u00f8ren \u0141ukasz", "Soren Lukasz", True),
        ("\u201cO\u2019Brien\u2019s\u201d", "O'Brien", True),
        ("the vice\u2011president", "vice president", True),
        ("President of United States", "President of the United States", True),
        ("basketball player", "a basketball player", True),
        ("about 1,000 men", "1000", True),
        ("1\u202f000", "1,000", True),
        ("1000", "1 000", True),
        ("Two", "2", True),
        ("twenty-one", "21", True),
        ("$720.00", "720", True),
        ("Romeo", "Rome", False),
        ("vice-president", "president", False),
        ("president-elect", "president", False),
        ("Ford F-150", "150", False),
        ("3.5", "3", False),
        ("1,000", "1", False),
        ("12:30", "30", False),
        ("vitamin C", "Vitamin A", False),
        ("anything", "The", False),
        ("an apple", "A an", False),
        ("", "...", False),
        ("Paris", "Rome", False),
        ("", "Rome", False),
    ],
)
def test_answer(prediction: str, gold: str, right: bool) -> None:
    assert (correct_answer(prediction, [gold]).value == 1) == right


def test_every_candidate_counts_and_an_empty_one_does_not() -> None:
    assert correct_answer("Rome", ["The", "Paris", "Rome"]).value == 1
    assert correct_answer("Oslo", ["The", "Paris"]).value == 0
    assert correct_answer("Oslo", ["The"]) == Corrected(0, "empty-gold")
    assert correct_answer("the", ["The"]).value == 1
    assert correct_answer("Oslo", []).value == 0


_OR = "Is it Paris or Rome?"


@pytest.mark.parametrize(
    ("prediction", "value"),
    [
        (_OR, 0),
        ("Question: is it Paris, or Rome", 0),
        (f"{_OR} {_OR}", 0),
        (f"{_OR} Answer: Paris", 0),
        (f"{_OR} Answer: Rome", 1),
        ("It is Rome", 1),
        ("Rome", 1),
    ],
)
def test_an_echo_of_the_question_is_no_answer(prediction: str, value: float) -> None:
    assert correct_answer(prediction, ["Rome"], _OR).value == value


@pytest.mark.parametrize(
    ("question", "gold", "prediction", "verdict"),
    [
        ("Who is the spouse of Odda Clair?", "Tib Roux", "Odda Clair", "wrong"),
        ("Who is the spouse of Odda Clair?", "Tib Roux", "The spouse of Odda", "wrong"),
        ("Where is Ombery?", "Bavu", "The answer to the question is: Ombery", "wrong"),
        ("Where is Ombery?", "Bavu", "The answer to the question is: the answer to", "wrong"),
        ("Where is Ombery?", "Bavu", "Ombery is north of here", "unclear"),
        ("Who met Odda and Tib?", "Ann Hale", "both", "unclear"),
        ("What colour is the Blue House?", "blue", "the house", "unclear"),
    ],
)
def test_what_only_repeats_the_question_is_no_answer(
    question: str, gold: str, prediction: str, verdict: str
) -> None:
    assert correct_answer(prediction, [gold], question).verdict == verdict


@pytest.mark.parametrize(
    ("gold", "prediction", "verdict"),
    [
        ("An outdoor clothing brand", "A brand of clothes for the outdoors", "right"),
        ("Flood in Ann's old town", "Ann's old town had been hit by a bad flood.", "right"),
        ("Had tea at a village fair", "They went to the village fair, and had tea.", "right"),
        ("Ann sold the boat to Otto", "Otto sold the boat to Ann.", "unclear"),
        ("Ann sold the boat to Otto", "otto sold the boat to ann.", "unclear"),
        ("Ann feeds the old dog", "The old dog feeds Ann.", "unclear"),
    ],
)
def test_words_come_in_the_order_of_the_gold_only_where_names_do_something(
    gold: str, prediction: str, verdict: str
) -> None:
    assert correct_answer(prediction, [gold], "What happened?").verdict == verdict


_PET, _DAY = "Would Odda want a dog or a cat as a pet?", "Would Odda rather swim or go to a fair?"


@pytest.mark.parametrize(
    ("question", "gold", "prediction", "verdict"),
    [
        (_PET, "A cat, because she likes quiet", "dog", "wrong"),
        (_PET, "a dog", "Most likely a cat.", "wrong"),
        (_PET, "a dog", "A dog rather than a cat.", "right"),
        (_PET, "a dog", "A puppy.", "unclear"),
        (_DAY, "to a fair", "She would swim.", "wrong"),
        (_DAY, "swim", "Go to the fair, as she is tired.", "wrong"),
    ],
)
def test_of_two_things_that_a_question_offers_one_is_the_rival_of_the_other(
    question: str, gold: str, prediction: str, verdict: str
) -> None:
    assert correct_answer(prediction, [gold], question).verdict == verdict


@pytest.mark.parametrize(
    ("prediction", "verdict"),
    [
        ("Odda could well move, as she misses the theatre, so I would say yes.", "wrong"),
        ("She misses the theatre. But she owns a house, so I think probably no.", "right"),
        ("It is hard to choose. So I would say she might.", "unclear"),
    ],
)
def test_a_yes_or_no_may_be_concluded_as_an_opinion(prediction: str, verdict: str) -> None:
    golds = ["Likely no, she has just bought a house"]
    assert correct_answer(prediction, golds, "Will Odda move to town?").verdict == verdict


@pytest.mark.parametrize(
    ("gold", "prediction", "verdict"),
    [
        ("92 km/h", "It had a top speed of 92 mph.", "wrong"),
        ("92 km/h", "It had a top speed of 25.6 m.", "unclear"),
        ("2 weeks", "It took him two months.", "wrong"),
        ("2 months", "It took him 60 days.", "unclear"),
        ("2 weeks", "It did not take him two months.", "unclear"),
        ("27", "About 40 people.", "wrong"),
        ("27", "About 30 people.", "unclear"),
        ("3.5 months", "Nearly four months.", "unclear"),
        ("12 ounces a day", "12 ounces a week", "unclear"),
    ],
)
def test_a_number_is_another_by_its_unit_or_far_from_what_is_about_right(
    gold: str, prediction: str, verdict: str
) -> None:
    assert correct_answer(prediction, [gold], "How much was it?").verdict == verdict


@pytest.mark.parametrize(
    ("gold", "prediction", "verdict"),
    [
        ("two times", "A couple of times.", "right"),
        ("two goats", "She had a pair of goats.", "right"),
        ("three times", "A couple of times.", "unclear"),
        ("two", "It was a couple.", "unclear"),
    ],
)
def test_a_pair_is_two(gold: str, prediction: str, verdict: str) -> None:
    assert correct_answer(prediction, [gold], "How many?").verdict == verdict


@pytest.mark.parametrize(
    ("prediction", "verdict"),
    [
        ("Let me check my memory. No, they are not.", "right"),
        ("Let me check my memory. Well, yes.", "wrong"),
        ("Let me check my memory.", "wrong"),
    ],
)
def test_a_yes_or_no_may_open_a_later_sentence(prediction: str, verdict: str) -> None:
    question = "Are Ann Hale and Ben Cole from the same town?"
    assert correct_answer(prediction, ["no"], question).verdict == verdict


@pytest.mark.parametrize(
    ("prediction", "verdict"),
    [
        ("13 May 2023 (the Saturday before they spoke, on Friday, 19 May 2023)", "right"),
        ("20 May 2023 (the Saturday before they spoke, on Monday, 22 May 2023)", "wrong"),
        ("On Saturday (13 May 2023)", "right"),
        ("May 2023 (they spoke on 19 May 2023)", "unclear"),
    ],
)
def test_a_date_in_brackets_only_explains_the_one_before_it(prediction: str, verdict: str) -> None:
    golds = ["The Saturday before 19 May 2023"]
    assert correct_answer(prediction, golds, "When did Odda move?").verdict == verdict


@pytest.mark.parametrize(
    ("gold", "prediction", "verdict"),
    [
        ("Lost Harbour and Iron Meadow games", "Silver Kite and Moon Ferry", "wrong"),
        ("Lost Harbour and Iron Meadow games", "Lost Harbour", "unclear"),
        ("Harbour games", "Silver Kite", "unclear"),
        ("Lost Harbour and card games", "Silver Kite", "unclear"),
    ],
)
def test_names_of_what_is_asked_for_have_other_names_as_rivals(
    gold: str, prediction: str, verdict: str
) -> None:
    question = "What made Odda play games?"
    assert correct_answer(prediction, [gold], question).verdict == verdict


@pytest.mark.parametrize(
    ("prediction", "verdict"),
    [
        ("She plays the violin and the flute.", "wrong"),
        ("Violin, flute or oboe", "wrong"),
        ("She plays something with strings; a cello hangs in the hall.", "unclear"),
    ],
)
def test_a_list_of_other_terms_is_another_answer(prediction: str, verdict: str) -> None:
    question = "Which instruments does Odda play?"
    assert correct_answer(prediction, ["harp, banjo"], question).verdict == verdict


@pytest.mark.parametrize(
    ("gold", "prediction", "verdict"),
    [
        ("her great-uncle", "She learnt it from her grandmother, who lived nearby.", "wrong"),
        ("her aunt Verena", "Her mother did.", "wrong"),
        ("her aunt", "Her mother's sister did.", "unclear"),
        ("her aunt", "The sister of her mother did.", "unclear"),
        ("her aunt Verena", "Verena, whom her mother knew.", "right"),
        ("her mother", "Her stepmother did.", "unclear"),
        ("her aunt", "It was not her mother.", "unclear"),
        ("her aunt", "A parent did.", "unclear"),
    ],
)
def test_a_relative_has_other_relatives_as_rivals(gold: str, prediction: str, verdict: str) -> None:
    assert correct_answer(prediction, [gold], "Who taught Odda to swim?").verdict == verdict


_RELAXES, _PLAYS = "How does Odda relax?", "Which instruments does Odda play?"


@pytest.mark.parametrize(
    ("question", "gold", "prediction", "share"),
    [
        (
            _RELAXES,
            "swimming, baking bread, old films",
            "By swimming laps and baking bread.",
            2 / 3,
        ),
        (
            _RELAXES,
            "swimming, baking bread",
            "She swims, which helps her. That is all I know.",
            1 / 2,
        ),
        (_RELAXES, "a cardboard boat, lemonade", "She made a boat out of cardboard.", 1 / 2),
        (_RELAXES, "swimming, baking bread", "She swims and makes loaves.", None),
        (_RELAXES, "swimming, sketching old walls", "She swims past old walls.", None),
        (_PLAYS, "harp, banjo", "She plays the harp and once rented a cello.", 1 / 2),
        (_PLAYS, "harp, banjo", "She plays the harp and likes banjos.", 1),
    ],
)
def test_a_part_counts_for_a_share_unless_another_may_be_said_in_other_words(
    question: str, gold: str, prediction: str, share: float | None
) -> None:
    value = correct_answer(prediction, [gold], question, shares=True).value
    assert value == (None if share is None else pytest.approx(share))


_CAPITAL, _FOUNDER = "What is the capital of Bavu?", "Who founded the dam works?"
_FIRST, _STEPS = (
    "Which was built first, Rome or Lyon?",
    "What is the capital of Ann Hale's country?",
)


@pytest.mark.parametrize(
    ("question", "prediction", "verdict"),
    [
        (_CAPITAL, "Lyon, two hours from Rome", "wrong"),
        (_CAPITAL, "Lyon (the king died in Rome)", "wrong"),
        (_CAPITAL, "Lyon. Rome is given in another entry.", "wrong"),
        (_CAPITAL, "The capital is Lyon; Rome is where the king died.", "wrong"),
        (_CAPITAL, "One entry says Rome, but that must be a mistake: it is Lyon.", "wrong"),
        (_CAPITAL, "Rome was at one point the capital, but the current one is Lyon.", "wrong"),
        (_CAPITAL, "Lyon (older entry), Rome (most recent entry)", "right"),
        (_CAPITAL, "Fact 3: Lyon; fact 8: Rome -> Rome", "right"),
        (_CAPITAL, "The king was born in Lyon; the capital is Rome.", "right"),
        (_CAPITAL, "Roma Nova (Rome), the seat of the king", "right"),
        (_FOUNDER, "Founded by Lyon according to one fact and by Rome by another.", "wrong"),
        (_CAPITAL, '{"old": "Lyon", "current": "Rome"}', "right"),
        (_FIRST, "Rome goes back to 1200 and Lyon to 1100. So Lyon is the first.", "wrong"),
        (_STEPS, "Ann Hale -> Bavu; capital of Bavu -> Rome", "right"),
        (_STEPS, "Ann Hale is from Bavu, whose capital is Rome.", "right"),
        (_FOUNDER, "Otto Brandt, whom Rome had sent", "wrong"),
        (_FOUNDER, "Otto Brandt founded it against Rome.", "wrong"),
        (_CAPITAL, "Current: Rome. Previously listed: Lyon.", "right"),
        (_CAPITAL, "Now: Lyon. Before: Rome.", "wrong"),
        (_CAPITAL, "In real life, Lyon. According to the list: Rome.", "right"),
        (_CAPITAL, "Rome never was the capital; I'd say Lyon.", "wrong"),
        (_FOUNDER, "Otto Brandt, Rome's oldest rival", "wrong"),
        (_STEPS, "Home: Ombery. Capital: Rome (90) rather than Lyon (3).", "right"),
    ],
)
def test_one_clause_answers_and_others_may_mention_the_gold(
    question: str, prediction: str, verdict: str
) -> None:
    assert correct_answer(prediction, ["Rome"], question).verdict in allowed(verdict)


@pytest.mark.parametrize(
    ("gold", "prediction", "verdict"),
    [
        ("Rome, Georgia", "Rome, Italy", "wrong"),
        ("Rome, Georgia", "Rome, GA", "right"),
        ("University of Southern Bavu", "the University of Bavu", "wrong"),
        ("four months", "nearly four years", "wrong"),
        ("field hockey", "ice hockey", "unclear"),
        ("June 2023", "06/2023", "right"),
        ("Ann Hale and Ben Cole", "Ann Hale and Otto Brandt", "wrong"),
        ("Norwegian", "She is from Norway, as is her aunt.", "unclear"),
        ("goalkeeper", "She is the goalie of the team.", "unclear"),
        ("Ursula K. Le Guin", "U.K. LeGuin", "right"),
        ("14 May 2023", "on the second Sunday of May 2023 (May 14th)", "right"),
        ("the week before 6 May 2022", "the week leading up to May 6, 2022", "right"),
        ("the 1960s", "in the early sixties", "right"),
        ("Pope John XXIII", "John the Twenty-Third", "right"),
        ("His grandfather", "Old Joe, a friend of his grandfather's", "wrong"),
        ("tomatoes and basil", "tomatoes, but no basil", "wrong"),
        ("poet", "a novelist (the poet entry is about somebody else)", "wrong"),
        ("Niger", "Nigeria", "wrong"),
        ("Mount Kenya", "Kenya", "unclear"),
        ("late 1970s", "in the early 1970s", "wrong"),
        ("late 1970s", "in 1972", "wrong"),
        ("3 pm", "3 am, according to document 3.", "wrong"),
        ("London", "London, England, according to document 3.", "right"),
        ("44 BC", "44 BCE", "right"),
        ("one-third", "a third", "right"),
        ("to be himself", "He should stay as he is and not act.", "unclear"),
    ],
)
def test_what_is_named_alike_is_not_the_same(gold: str, prediction: str, verdict: str) -> None:
    assert correct_answer(prediction, [gold], "What is it?").verdict in allowed(verdict)


def test_what_somebody_does_not_like_may_be_asked() -> None:
    said = "She isn't a fan of pears."
    assert correct_answer(said, ["pears"], "What fruit does Ann not like?").value == 1
    assert correct_answer(said, ["pears"], "What fruit does Ann like?").value != 1


@pytest.mark.parametrize(
    ("prediction", "value"),
    [
        ("Not stated.", 1),
        ("Ann speaks of her aunt. There is no information about a gift.", 1),
        ("She got a scarf. There is no information about the price.", 0),
        ("Not stated; she got a scarf because it was cold.", 0),
    ],
)
def test_what_is_declined_is_what_is_asked(prediction: str, value: float) -> None:
    assert correct_unanswerable(prediction, "What gift did Ann get from her aunt?").value == value


@pytest.mark.parametrize("gold", ["Riga", "Turin"])
def test_a_passage_that_names_many_values_is_left_open(gold: str) -> None:
    passage = (
        "Ann Hale was born in Lyon and grew up with Otto Brandt near Oslo. Sven Olsson showed her "
        "round Riga. She wrote to Marta Quill from Genoa, and Jan Kern buried her in Turin."
    )
    question = "In which city did Ann Hale live?"
    assert correct_answer(passage, [gold], question).verdict == "unclear"
    assert correct_answer(passage, ["Lyon"], question).verdict == "right"


@pytest.mark.parametrize(
    ("gold", "said", "verdict"),
    [
        ("1200 BC", "In 1200.", "unclear"),
        ("1200 BC", "In 1200 BCE.", "right"),
        ("44 BC", "55 BC", "wrong"),
        ("the 5th century", "In the 5th century BC.", "unclear"),
    ],
)
def test_a_year_before_christ_is_not_that_year_after(gold: str, said: str, verdict: str) -> None:
    assert correct_answer(said, [gold], "When was the gate built?").verdict == verdict


_BORN = "In which city was Ann Hale born?"


@pytest.mark.parametrize(
    ("said", "verdict"),
    [
        ("Rome\u301012\u3011, Oslo\u30107\u3011.", "wrong"),  # Brackets of any kind cite.
        ("It's true that fact 9 says Rome, but it was Oslo.", "wrong"),  # Only granted.
        ("It's Oslo that fact 9 says, but it was Rome.", "right"),
        ("I'm sure that it is Rome.", "right"),  # "I'm" is no name.
    ],
)
def test_what_is_cited_granted_or_a_pronoun(said: str, verdict: str) -> None:
    assert correct_answer(said, ["Rome"], _BORN).verdict == verdict


def test_a_family_name_alone_has_its_capital() -> None:
    question = "In which street does the sister of Ann live?"
    assert (
        correct_answer("She lives in a quiet street.", ["Harbour Street"], question).value is None
    )


def test_what_cannot_be_told_is_declined_in_any_form() -> None:
    said = "She speaks of boats, but a car never comes up, so the colour can't be determined."
    assert correct_unanswerable(said, "What colour is her car?").verdict == "right"
