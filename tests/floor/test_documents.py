"""Questions about documents with subjects: over two of them, about two names, about what one is."""

import pytest

from mabench_floor.qa.questions import holder_of
from tests.floor.informed import informed, reply

_ARTICLES = {
    "The Salt Road (film)": (
        "The Salt Road is a 1961 drama film directed by Odo K. Brandt and written by Lisel "
        "Amery. It was shot on the island of Vorn in two weeks, with a cast of fishermen."
    ),
    "Odo K. Brandt": (
        "Odo K. Brandt (4 May 1919 - 30 June 1988) was a Danish film director and painter. "
        "He grew up in Aldermouth, and studied in Lower Quay before the war."
    ),
    "Lisel Amery": (
        "Lisel Amery (born 9 October 1924) is a Swedish writer. She is best known for the "
        'novel "Nine Winters at Home", and for her letters to the painter Tove Hamm.'
    ),
    "The Long Frost": (
        "The Long Frost is a 1974 comedy film directed by Tove Hamm. It was shot in "
        "Aldermouth during the coldest March of the century, and lost money."
    ),
    "Tove Hamm": (
        "Tove Hamm (2 January 1930 - 8 August 1979) was a Danish painter, who in later years "
        "turned to film. She lived with her sister above a bakery."
    ),
    "Aldermouth": (
        "Aldermouth is a port on the western coast, twinned with Saint Emmer. At the census "
        "of 2001 the town had a population of 41,200."
    ),
    "Lower Quay": (
        "Lower Quay is a village on the Ember with a population of 2,310. Its only school "
        "was rebuilt with the help of the Hudd's Bay Company, which traded in furs."
    ),
}


def _documents(articles: dict[str, str]) -> str:
    numbered = enumerate(articles.items())
    return "\n\n".join(f"Document {number}:\n{title}\n{text}" for number, (title, text) in numbered)


FILMS = _documents(_ARTICLES)

_BANDS = {
    "Winter Ferry (album)": (
        "Winter Ferry is the second album by the Scottish rock band Pale Lanterns, released on "
        "3 May 1998 by Crab & Sons Records in London. It was recorded in a barn near Oslo."
    ),
    "Pale Lanterns": (
        "Pale Lanterns are a Scottish rock band formed in Dunmarrow, Fife, in 1991 by the singer "
        "Ewan Tarr and the drummer Isla Moss. The band toured in Norway and Spain."
    ),
    "Ewan Tarr": (
        "Ewan Tarr (born 14 February 1970) is a Scottish singer and sculptor. He was the keeper "
        "of the lighthouse at Cold Ness before the band was formed."
    ),
    "Isla Moss": (
        "Isla Moss (6 August 1968 - 2 March 2011) was a drummer and sculptor from Glasgow, who "
        "also raced sledges."
    ),
    "Hollow Tide": (
        "Hollow Tide are a rock band from Austin in the United States, known for long concerts. "
        "Their first album sold badly."
    ),
    "Tarr Family Museum": (
        "The Tarr Family Museum shows the tools of a keeper. It was given to the city by the "
        "widow of Ned Tarr on 9 June 1950."
    ),
}
BANDS = _documents(_BANDS)

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
        # What one document names is looked up in its own.
        (FILMS, "When did the director of The Salt Road die?", "30 June 1988"),
        (FILMS, "What is the population of the town in which The Long Frost was shot?", "41,200"),
        (FILMS, "What nationality is the writer of The Salt Road?", "Swedish"),
        (FILMS, "For which novel is Lisel Amery best known?", "Nine Winters at Home"),
        (FILMS, "Who directed The Salt Road?", "Odo K. Brandt"),
        # Of two names each is read in its own document.
        (FILMS, "Who died earlier, Odo K. Brandt or Tove Hamm?", "Tove Hamm"),
        (FILMS, "Who is younger, Odo K. Brandt or Tove Hamm?", "Tove Hamm"),
        (FILMS, "Who was born first, Tove Hamm or Lisel Amery?", "Lisel Amery"),
        (FILMS, "Which film came out later, The Salt Road or The Long Frost?", "The Long Frost"),
        (FILMS, "Do Odo K. Brandt and Tove Hamm come from the same country?", "yes"),
        (FILMS, "Do Odo K. Brandt and Lisel Amery come from the same country?", "no"),
        (FILMS, "Are both Tove Hamm and Lisel Amery Danish?", "no"),
        # An answer is told of the thing that the question describes.
        (BANDS, "Winter Ferry is the second album of a band formed in which town?", "Dunmarrow"),
        (
            BANDS,
            "When was the singer of the band that released Winter Ferry born?",
            "14 February 1970",
        ),
        # Two are compared by what their documents say.
        (BANDS, "Of Ewan Tarr and Isla Moss, who was born later?", "Ewan Tarr"),
        (BANDS, "Are Pale Lanterns and Ewan Tarr both British?", "yes"),
        (BANDS, "Are Hollow Tide and Pale Lanterns both jazz bands?", "no"),
        # The nearest of the right kind counts.
        (
            "The mill was built in 1702, sold in 1750 and in the end it was burnt in 1790.",
            "When was the mill burnt?",
            "1790",
        ),
        ("Ilka sang for Tarn at Holm.", "Where did Ilka sing?", "Holm"),
        ("Queen Edda of Ness married Tor Vance.", "Who married Queen Edda?", "Tor Vance"),
        ("The muddy Ovra flows past old Karsk, a town.", "Which river flows past Karsk?", "Ovra"),
        # Who acts stands before the verb, unless that is passive.
        ("In May Ash Moor beat Tor Vance and Ned Orr.", "Who beat Tor Vance?", "Ash Moor"),
        ("In May Ash Moor was beaten by Tor Vance at Holm.", "Who beat Ash Moor?", "Tor Vance"),
        ("In May Ash Moor met Tor Vance.", "Whom did Ash Moor meet?", "Tor Vance"),
        ("The horn was carved quickly from ivory.", "What was the horn carved from?", "ivory"),
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
