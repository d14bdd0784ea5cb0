"""Which of two conflicting values a text settles on, in whatever words it tells of the conflict."""

from __future__ import annotations

import pytest

from mabench.scoring import correct_answer

# The value that holds, an older one, and what is asked.
_FACTS = [
    ("Oslo", "Lyon", "In which city was Ann Hale born?"),
    ("Ann Hale", "Otto Brandt", "Who is the director of the Ambria Press?"),
    ("football", "tennis", "Which sport does Otto Brandt play?"),
    ("1987", "1912", "In which year was the dam built?"),
]
_SETTLED = [
    "The answer is {G}.",
    "It's {G}, not {O}.",
    "{O} was the earlier value; it is now {G}.",
    "Originally {O}, later updated to {G}.",
    "There are two facts: fact 12 says {O}, fact 87 says {G}. Since fact 87 is newer, {G}.",
    "Fact 12: {O}. Fact 87: {G}. The larger number wins -> {G}.",
    "I first thought {O}, but the later fact says {G}.",
    "{G} (fact 87 supersedes fact 12, which said {O}).",
    "While fact 12 mentions {O}, fact 87 gives {G}.",
    "Although {O} is commonly believed, the list says {G}.",
    "Not {O} but {G}.",
    "{G} is the most recent; {O} is outdated.",
    "It used to be {O}. Now it's {G}.",
    "{O} → {G}",
    "Latest: {G}; previous: {O}",
    "{G}, replacing {O}.",
    "The facts conflict ({O} vs. {G}), but the newer fact says {G}.",
    "According to fact 87, {G}. (Fact 12 had {O}.)",
    "Final answer: {G}. Reason: fact 87 overrides fact 12 ({O}).",
    "{O}? No, fact 87 changed that to {G}.",
    "Of the two candidates, {O} and {G}, the second is more recent, so {G}.",
    "In reality it is {O}, but the facts given say {G}.",
    "Per the most recent entry (87), {G}; entry 12 said {O}.",
    "Fact 12 states {O}; however, fact 87, which is later, states {G}.",
    "My knowledge says {O}, but according to the list it is {G}.",
    "{G} (updated from {O})",
    "{G} (previously {O})",
    "{G} [formerly {O}]",
    "Entry 12 gave {O}, and entry 87 corrected it to {G}.",
    "First {O}, then {G}. So {G}.",
    "The newest fact, 87, gives {G}, so I ignore {O} from fact 12.",
    "{O} is superseded by {G}.",
    "It changed from {O} to {G}.",
    "We have {O} at 12 and {G} at 87; 87 > 12, hence {G}.",
    "Since 87 > 12, the answer is {G} rather than {O}.",
    "{G}, because the later fact overrides the earlier one that says {O}.",
    "Probably {G}, though fact 12 says {O}.",
    "The documents mention {O} as well, but the answer is {G}.",
    "While {O} was involved, it was {G}.",
    "It wasn't {O}; it was {G}.",
    "{G}, as stated in Document 4. Document 7 is about {O}.",
    "Unlike {O}, which is mentioned elsewhere, {G} is right.",
    "{O} was considered, but {G} was chosen.",
    "I believe it's {G}. {O} is mentioned in another context.",
    "{G}, not {O}, as is often claimed.",
    "Contrary to popular belief, it isn't {O} but {G}.",
    "{G}. (I ruled out {O} because the dates don't match.)",
    "Looking at the documents: {O} is the wrong one since it is about another topic. {G} fits.",
    "Let me think. It might be {O}, but document 12 clearly says {G}.",
    "{G} rather than {O}.",
    "At first glance {O}, but on closer reading {G}.",
    "Many would say {O}; the text says {G}.",
    "Document 5 says {G}. Another document speaks of {O} in a different matter.",
    "<think>Is it {O}? Document 3 talks of {O}. But document 8 says {G}.</think> {G}",
    "Step 1: find the document. Step 2: it says {G}. So the answer is {G}, and {O} is irrelevant.",
    "Answer: {G} (some sources claim {O}, but the text does not)",
    "I initially considered {O}. After checking, {G}.",
    "{G} is correct; {O} is incorrect.",
    "{O} is incorrect; {G} is correct.",
    "The correct answer isn't {O}. It's {G}.",
    "Wait, not {O}. {G}.",
    "{O}... no wait, {G}.",
    "Actually, it's {G}, not {O}.",
    "It's {G}. I'm not sure about {O}.",
    "There is no evidence for {O}. The text supports {G}.",
    "If it were {O}, the dates would not fit, so {G}.",
    "{G}, because {O} is ruled out by the dates.",
    "The answer cannot be {O}, so it must be {G}.",
    "~~{O}~~ {G}",
    "Fact 12 says {O}. Fact 87 says {G}. So I go with the second one.",
    "Fact 41: {O}; fact 435: {G}; the latter is newer.",
    "Fact 41 says {O} and fact 435 says {G}. The latter holds.",
    "{O} is given by fact 41 and {G} by fact 435, of which fact 435 is the newer one.",
    "{G} (435) over {O} (41).",
    "There's {O} in fact 41 and {G} in fact 435. I go with fact 435.",
    "Two facts: 41 ({O}) and 435 ({G}). 435 is larger, so it counts.",
    "| Fact | Value |\n|---|---|\n| 41 | {O} |\n| 435 | {G} |\n\nThe newer one is fact 435.",
    "- Fact 41: {O}\n- Fact 435: {G}\n\nNewest: fact 435",
    "Fact 41 -> {O}\nFact 435 -> {G}\n=> {G}",
    "Fact 435 ({G}) replaces fact 41 ({O}).",
    "Fact 41 ({O}) was replaced by fact 435 ({G}).",
    "{O} (fact 41) < {G} (fact 435), so {G}.",
    "The list says {O} first and {G} later; later wins.",
    "The later of the two statements gives {G}, the earlier gives {O}.",
    "{G}; the older entry with {O} no longer applies.",
    "My records had {O} until entry 435 changed that to {G}.",
    "Both {O} and {G} occur, but only {G} is current.",
    "Of {O} and {G}, the latter is right.",
    "Of {G} and {O}, the former is right.",
    "The former value, {O}, was overwritten with {G}.",
    "Newest value: {G}. Old value: {O}.",
    "{O} = old. {G} = new.",
    "It says {O}. Hmm, later it says {G}. I pick the later one: {G}.",
    "At fact 41 it's {O}, then at fact 435 it becomes {G}.",
    "Because fact 435 comes after fact 41, {G} supersedes {O}.",
    "Fact 41 is outdated ({O}); see fact 435: {G}.",
    "{O} per fact 41, but per fact 435 {G} - and 435 is what counts.",
    "The value has been updated to {G} from {O}.",
    "According to fact 41 it's {O}. However, this was superseded by fact 435, which says {G}.",
    "{G}, since 435 > 41 (fact 41 says {O}).",
    "Conflict between 41 ({O}) and 435 ({G}) is resolved in favour of 435.",
    "Conflict between 41 ({O}) and 435 ({G}) is resolved in favour of {G}.",
    "I found two: {O} (older) and {G} (newer).",
    "I found two: {O} (41, older) and {G} (435, newer). Answer = the newer.",
]
_UNSETTLED = [
    "{O} and {G}",
    "Either {O} or {G}.",
    "Fact 12 says {O}. Fact 87 says {G}.",
    "It is listed as both {O} and {G}.",
    "{G} or {O}",
    "The facts conflict: {O} / {G}.",
    "Fact 12 says {O} and fact 87 says {G}, so it is unclear.",
    "One entry says {G}, another says {O}.",
    "Both {G} and {O} are mentioned.",
    "There are two answers: {G} and {O}.",
    "Fact 41 says {O}. Fact 435 says {G}. They disagree.",
    "Fact 41 and fact 435 disagree: {O} versus {G}.",
    "| Fact | Value |\n|---|---|\n| 41 | {O} |\n| 435 | {G} |",
    "- {O} (fact 41)\n- {G} (fact 435)",
    "It could be {O} or {G}, depending on which fact one believes.",
    "Both {O} and {G} are given.",
    "{O}/{G}",
    "The memory gives {O} in one place and {G} in another.",
    "Fact 41: {O}\nFact 435: {G}",
    "I can't decide between {O} and {G}.",
    "{O} according to fact 41, {G} according to fact 435.",
    "One says {O}; another says {G}.",
    "There is a contradiction: {O} and {G} are both mentioned.",
    "I see {O} as well as {G}.",
    "{O} (41), {G} (435)",
    "Some facts say {O} while others say {G}.",
    "{G} or {O}, I am not sure.",
]


@pytest.mark.parametrize(("gold", "older", "question"), _FACTS)
@pytest.mark.parametrize("wording", _SETTLED)
def test_a_text_settles_on_the_value_that_holds(
    wording: str, gold: str, older: str, question: str
) -> None:
    text = wording.format(G=gold, O=older)
    assert correct_answer(text, [gold], question).verdict == "right"
    assert correct_answer(text, [older], question).verdict == "wrong"


@pytest.mark.parametrize(("gold", "older", "question"), _FACTS)
@pytest.mark.parametrize("wording", _UNSETTLED)
def test_two_values_without_a_choice_are_wrong(
    wording: str, gold: str, older: str, question: str
) -> None:
    text = wording.format(G=gold, O=older)
    assert correct_answer(text, [gold], question).verdict == "wrong"
    assert correct_answer(text, [older], question).verdict == "wrong"


@pytest.mark.parametrize(
    ("question", "gold", "other"),
    [
        ("What sport does Tor Lind play?", "ice hockey", "football"),
        ("On which continent is Bavu located?", "Africa", "Europe"),
        ("In which year was the bridge opened?", "1932", "1956"),
    ],
)
@pytest.mark.parametrize(
    "text",
    [
        "According to the most recent fact (#412), it is {}.",
        "{} [412].",
        "[412] {}",
        "412. {}",
        "{}^[412]",
        "{} (source: 412)",
        "{}.\n\nSource: [412]",
        "Per the newest record (412): {}.",
        "According to memory 412, {}.",
        "Based on the information in fact number 412, {}.",
    ],
)
def test_the_number_of_what_is_cited_is_no_value(
    text: str, question: str, gold: str, other: str
) -> None:
    assert correct_answer(text.format(gold), [gold], question).verdict == "right"
    assert correct_answer(text.format(other), [gold], question).verdict == "wrong"
