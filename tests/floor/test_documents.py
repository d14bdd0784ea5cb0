"""Questions about documents with subjects: over two of them, about two names, about what one is."""

import pytest

from tests.floor.informed import informed, reply

_ARTICLES = {
    "The Salt Road (film)": (
        "The Salt Road is a 1961 drama film directed by Odo K. Brandt and written by Lisel "
        "Amery. It was shot on the island of Vorn in two weeks, with a cast of fishermen and "
        "their children."
    ),
    "Odo K. Brandt": (
        "Odo K. Brandt (4 May 1919 - 30 June 1988) was a Danish film director and painter. "
        "He grew up in Aldermouth, where his father kept a chemist's shop, and studied in "
        "Lower Quay before the war."
    ),
    "Lisel Amery": (
        "Lisel Amery (born 9 October 1924) is a Swedish writer. She is best known for the "
        'novel "Nine Winters at Home", which she wrote in a boat house, and for her letters '
        "to the painter Tove Hamm."
    ),
    "The Long Frost": (
        "The Long Frost is a 1974 comedy film directed by Tove Hamm. It was shot in "
        "Aldermouth during the coldest March of the century, and lost most of the money that "
        "was put into it."
    ),
    "Tove Hamm": (
        "Tove Hamm (2 January 1930 - 8 August 1979) was a Danish painter, who in later years "
        "turned to film. She lived with her sister above a bakery and never owned a "
        "telephone."
    ),
    "Aldermouth": (
        "Aldermouth is a port on the western coast, twinned with Saint Emmer. At the census "
        "of 2001 the town had a population of 41,200, most of them employed in the docks or "
        "at the university."
    ),
    "Lower Quay": (
        "Lower Quay is a village on the Ember with a population of 2,310. Its only school "
        "was burnt down in a storm and was rebuilt with the help of the Hudd's Bay Company, "
        "which traded in furs."
    ),
}


def _documents(articles: dict[str, str]) -> str:
    numbered = enumerate(articles.items())
    return "\n\n".join(f"Document {number}:\n{title}\n{text}" for number, (title, text) in numbered)


FILMS = _documents(_ARTICLES)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("When did the director of The Salt Road die?", "30 June 1988"),
        ("What is the population of the town in which The Long Frost was shot?", "41,200"),
        ("What nationality is the writer of The Salt Road?", "Swedish"),
        ("For which novel is Lisel Amery best known?", "Nine Winters at Home"),
        ("Who directed The Salt Road?", "Odo K. Brandt"),
    ],
)
def test_what_one_document_names_is_looked_up_in_its_own(question: str, answer: str) -> None:
    assert answer in reply(informed([FILMS]), question)


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
    "The Brass Kites": (
        "The Brass Kites are an American jazz band. They have played at every fair in Ohio, and "
        "in a horror film."
    ),
    "Tarr Family Museum": (
        "The Tarr Family Museum shows the tools of a keeper. It was given to the city by the "
        "widow of Ned Tarr on 9 June 1950."
    ),
}
BANDS = _documents(_BANDS)


@pytest.mark.parametrize(
    ("told", "question", "answer"),
    [
        # Of two names each is read in its own document.
        (FILMS, "Who died earlier, Odo K. Brandt or Tove Hamm?", "Tove Hamm"),
        (FILMS, "Who was born first, Tove Hamm or Lisel Amery?", "Lisel Amery"),
        (FILMS, "Which film came out later, The Salt Road or The Long Frost?", "The Long Frost"),
        (FILMS, "Do Odo K. Brandt and Tove Hamm come from the same country?", "yes"),
        (FILMS, "Do Odo K. Brandt and Lisel Amery come from the same country?", "no"),
        (FILMS, "Are both Tove Hamm and Lisel Amery Danish?", "no"),
        # An answer is told of the thing that the question describes.
        (
            BANDS,
            "Winter Ferry is the second album of a band formed in which town?",
            "Dunmarrow",
        ),
        (
            BANDS,
            "When was the singer of the band that released Winter Ferry born?",
            "14 February 1970",
        ),
        # Two are compared by what their documents say.
        (BANDS, "Of Ewan Tarr and Isla Moss, who was born later?", "Ewan Tarr"),
        (BANDS, "Are Pale Lanterns and Ewan Tarr both British?", "yes"),
        (BANDS, "Are Hollow Tide and Pale Lanterns both jazz bands?", "no"),
    ],
)
def test_each_is_read_in_its_own_document(told: str, question: str, answer: str) -> None:
    assert reply(informed([told]), question) == answer
