"""The span that a question asks for among others; descriptions; yes or no."""

import pytest

from mabench_floor.qa.questions import holder_of
from tests.floor.informed import informed, reply

TOWN = """Document 1:
Kelverstone was a village until the canal came. The canal was planned by Aldous Brenn, a friend of
the painter Mabel Strake, and dug by Cornish miners between 1801 and 1809. In May 1812 the mill
of the Harrow Company opened beside it. The mill was ruined by a flood. Its owner fled to Lower
Ambria with most of the gold, and the workers kept the silver cups. They were paid 40 shillings,
and each family was given 12 sacks of flour.

Document 2:
Aldous Brenn (3 March 1770 - 9 July 1838) was a Welsh engineer. He taught at the Tidewater School
in Pennack. In old age Brenn wrote a book called "Still Waters", which sold poorly.

Document 3:
Mabel Strake (12 June 1775 - 1 May 1851) was a Welsh painter of harbours. She lived in Orrin Bay
with her sister Ada.

Document 4:
Ivo Lassen (born 2 April 1780) was a Danish composer. His teacher was Mabel Strake's brother Hugh.
"""


PEAT = """Document 1:
The Torvane moss was drained in the thirteenth century. Sigurd al-Hakim sold the rights for £4.2bn
to the Centre for Peat Research. Peat was cut with Lunden spades by Torvane cutters, and dried on
racks and hurdles. The pit was 22,392 square metres wide and 14 metres deep.

Document 2:
At the mill of Orrin, salt and lime were kept in jars. A dull fog was named "grey breath" there. In
2009 fifteen jars were left.
"""


@pytest.mark.parametrize(
    ("text", "question", "answer"),
    [
        # The span fits what the question says of it.
        (TOWN, "Who planned the canal?", "Aldous Brenn"),
        (TOWN, "What ruined the mill?", "flood"),
        (TOWN, "What did the workers keep?", "silver cups"),
        (TOWN, "To where did the owner of the mill flee?", "Lower Ambria"),
        (TOWN, "How many sacks of flour was each family given?", "12"),
        (TOWN, "What was the book that Brenn wrote called?", "Still Waters"),
        (TOWN, "At which school did Aldous Brenn teach?", "Tidewater School"),
        # Descriptions and comparisons take two steps.
        (TOWN, "At which school did the engineer who planned the canal teach?", "Tidewater School"),
        (TOWN, "Where did the painter who was a friend of Aldous Brenn live?", "Orrin Bay"),
        (TOWN, "Are both Aldous Brenn and Mabel Strake Welsh?", "yes"),
        (TOWN, "Are both Mabel Strake and Ivo Lassen Welsh?", "no"),
        (TOWN, "Who was born first, Mabel Strake or Ivo Lassen?", "Mabel Strake"),
        (TOWN, "What is the nationality of the painter who taught Ivo Lassen?", "Welsh"),
        (
            TOWN,
            "Which painter or engineer was born first, Mabel Strake or Aldous Brenn?",
            "Aldous Brenn",
        ),
        # Spans are whole.
        (PEAT, "In which century was the Torvane moss drained?", "thirteenth century"),
        (PEAT, "For how much did Sigurd sell the rights?", "£4.2bn"),
        (PEAT, "How wide was the pit?", "22,392 square metres"),
        (PEAT, "How many jars were left in 2009?", "fifteen"),
        (PEAT, "What was the dull fog named?", "grey breath"),
    ],
)
def test_the_answer_is_the_span(text: str, question: str, answer: str) -> None:
    assert reply(informed([text]), question) == answer


@pytest.mark.parametrize(
    ("question", "noun"),
    [
        ("In which city was the band formed that recorded Ness?", "band"),
        ("Who is the singer of the band that recorded Ness?", "band"),
        ("Ness is a song by a band formed in which city?", "band"),
        ("Who tells the story of Ness?", ""),
        ("Whom does Ann count as the closest of friends?", ""),
    ],
)
def test_what_an_answer_is_about_has_a_noun(question: str, noun: str) -> None:
    verbs = ("formed", "recorded", "tells", "count")
    assert holder_of(question, verbs.__contains__)[0] == noun


def test_no_month_answers_who() -> None:
    assert reply(informed(["Press House opened in May with Ann Lee."]), "Who opened it?") != "May"
