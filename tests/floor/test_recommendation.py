"""Recommending: titles learnt from dialogues, and what goes with what."""

import pytest

from mabench.text import estimate_tokens
from tests.floor.informed import cut, informed, reply

SPACE = ["Orbit of Glass (1988)", "The Last Airlock (1994)", "Moons Apart (2003)", "Vacuum (2011)"]
FARM = ["Barn Song (1979)", "The Hay Thief (1996)", "Ploughed Under (2006)", "Milk Run (2014)"]

COURT = ["A Bench of Oak (1957)", "Hearsay (1982)", "Twelve Chairs (1999)", "Sworn In (2017)"]
TASTES = [(SPACE, "rocket"), (FARM, "tractor"), (COURT, "lawyer")]


def dialogue(number: int, likes: str, titles: list[str]) -> str:
    return (
        f"Dialogue {number}:\nSeeker: Good day! I enjoy {likes} films, {titles[0]} for one\n"
        f"Guide: Have you seen {titles[1]} by any chance?\nSeeker: Yes, splendid\n"
        f"Guide: Watch {titles[2]} then. It is as good.\nSeeker: Thanks, bye"
    )


def dialogues() -> str:
    told = []
    for n in range(24):
        titles, likes = TASTES[n % 3]
        told.append(dialogue(n + 1, likes, titles[n // 3 % 4 :] + titles[: n // 3 % 4]))
    return "\n\n".join(told)


def opened(said: str) -> str:
    return f"\nSeeker: Hello\nGuide: What do you like?\nSeeker: {said}\nGuide: "


def recommended(chunks: list[str], said: str, max_tokens: int = 300) -> list[str]:
    lines = reply(informed(chunks), opened(said), max_tokens).splitlines()
    return [line.partition(". ")[2] for line in lines]


def ways() -> list[list[str]]:
    return [[dialogues()], cut(dialogues()), cut(" ".join(dialogues().split()))]


@pytest.mark.parametrize("chunks", ways(), ids=["whole", "cut", "line breaks lost"])
def test_what_goes_with_the_items_and_the_words_at_hand_comes_first(chunks: list[str]) -> None:
    if "\n" not in chunks[0]:
        chunks = ["Seeker: Hi\nGuide: Hello\n", *chunks]  # Some line breaks are always left.
    assert set(recommended(chunks, "I loved Vacuum (2011)")[:3]) == set(SPACE) - {"Vacuum (2011)"}
    assert set(recommended(chunks, "I loved the hay thief")[:3]) == set(FARM) - {FARM[1]}
    assert set(recommended(chunks, "Any tractor in it")[:4]) == set(FARM)


def test_what_the_dialogue_names_is_not_recommended_again() -> None:
    titles = recommended([dialogues()], "Moons Apart was nice, and ORBIT OF GLASS")
    # Nor is "Watch" taken for a part of the title behind it.
    assert sorted(titles) == sorted({*SPACE, *FARM, *COURT} - {SPACE[0], SPACE[2]})


def test_items_and_words_that_never_met_are_joined_by_the_company_they_keep() -> None:
    told = [
        f"Seeker: a {mood} one like {first}\nGuide: then {second} is for you"
        for mood, first, second in [
            ("gloomy", "Ash Wells (1990)", "Bitter Quay (1991)"),
            ("sombre", "Bitter Quay (1991)", "Yew Ember (1992)"),
            ("jolly", "Daisy Lane (1990)", "Easy Tune (1991)"),
            ("merry", "Easy Tune (1991)", "Fair Wind (1992)"),
        ]
        for _ in range(4)
    ]
    titles = recommended(["\n\n".join(told)], "a gloomy one")
    assert titles.index("Yew Ember (1992)") < titles.index("Fair Wind (1992)")


def test_people_who_word_things_alike_get_what_the_others_got() -> None:
    """The words are those of any text, and each alone says nothing."""
    told = "\n\n".join(
        f"Seeker: {said}\nGuide: see {title}"
        for said, title in [
            ("it is so, or is it not", "Amber Street (1990)"),
            ("or so it is, is it not", "Copper Gate (1991)"),
            ("not so, is it or it is", "Velvet RequestGate (1993)"),
        ]
        for _ in range(4)
    )
    assert recommended([told], "not so, is it")[0] == "Velvet RequestGate (1993)"
    assert recommended([told], "or so it is")[0] == "Copper Gate (1991)"


def test_a_title_that_is_a_common_word_is_named_with_its_year_only() -> None:
    told = "\n\n".join(
        ["Seeker: what is up?\nGuide: I am fed up. Up (2009) though!", dialogues()]
        + ["Seeker: what is up today?\nGuide: It is up to you"] * 9
    )
    assert "Up (2009)" in recommended([told], "I am fed up with rain")
    assert "Up (2009)" not in recommended([told], "I have seen Up (2009)")


def test_a_list_has_at_most_twenty_lines_and_keeps_to_the_budget() -> None:
    many = "\n\n".join(f"Seeker: hm\nGuide: see Tale {n} of Om (19{n}) now" for n in range(10, 60))
    assert len(recommended([many], "hm", 2000)) == 20
    text = reply(informed([many]), opened("hm"), 40)
    assert estimate_tokens(text) <= 40
    assert all(line.endswith(")") for line in text.splitlines())


def test_a_dialogue_without_anything_learnt_still_gets_an_answer_and_one_voice_is_none() -> None:
    assert reply(informed([]), opened("A film please"), 300)
    assert reply(informed(["It rained. Nobody came."]), opened("A film please"), 300)
    question = "Note: think first.\nWhich film is from 1979?\nNote:"
    assert not reply(informed([dialogues()]), question, 300).startswith("1.")
