"""The page of a data set: what it tells of rows and questions, and its use in a real browser."""

from __future__ import annotations

import csv
import html
import io
import re
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any

import pytest

import mabench
from mabench.data import Dataset, Metadata, Row
from mabench.data.schema import Turn
from mabench.injection import list_chunks, protocol_named
from mabench.page import data_page
from mabench.progress import NoProgress
from tests.command_line import succeed
from tests.page.conftest import Open
from tests.page.made import HOSTILE, unpacked
from tests.page.test_browser import axe, brightness, count, fits, violations
from tests.rows import dataset, moves, row, write_rows

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytest.importorskip("jinja2")

_FACTS = "factconsolidation_sh_6k"
_LARGEST = 12_000_000
_HOSTILE = [text for text in HOSTILE if "\ud83d" not in text]  # No row has half of a character.


def towers() -> Row:
    text = f"The tower is 300 metres high.\n\n{'It is old. ' * 3000}\n\nAgain: 300 Metres."
    pairs = [("How high?", ["300 metres", "the 300 Metres", "4 m"]), ("What is new?", ["bridge"])]
    return row("ruler_qa1_197K", text, pairs)


def chats() -> Row:
    turns: list[list[Turn]] = [
        [{"role": "user", "content": f"Today I bought {n} red apples.", "has_answer": n in (0, 2)}]
        for n in range(4)
    ]
    parts = [part for n, turn in enumerate(turns) for part in (f"Chat Time: {n}", turn)]
    metadata: Metadata = {
        "source": "longmemeval_s*",
        "question_types": ["single-session-user", "multi-session"],
        "question_dates": ["2023/05/27 (Sat) 22:54"] * 2,
        "question_ids": ["a", "b"],
        "haystack_sessions": [[turns[2]], [turns[0]]],
    }
    return Row(
        split="Accurate_Retrieval",
        index=1,
        context=repr(parts),
        questions=["How many?", "How few?"],
        answers=[["two"], ["none"]],
        metadata=metadata,
    )


def questions_of(page: str) -> dict[str, Any]:
    data = re.search(r'<template id="data"[^>]*>([^<]*)<', page)
    assert data
    return {one["question"]: one for one in unpacked(data[1])}


def test_the_file_has_inventory_strips_and_questions_but_no_history(tmp_path: Path) -> None:
    write_rows(tmp_path / "rows.jsonl", [moves(), towers(), chats()])
    words = ("data", "page", "rows.jsonl", "--out", "page.html")
    done = succeed(*words, cwd=tmp_path)
    assert "written: page.html (0." in done.stderr
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    text = html.unescape(re.sub(r"<wbr>|<[^>]*>", "", page))
    assert "Whole histories are left out" in text
    assert "It is old. " * 40 not in page
    assert "no rows of: ruler_qa2_421K" in text
    assert "2 of 22" in text
    assert page.count("<svg") == 3
    assert "golds of 1 of 2 questions at 2 places" in text
    assert "older values of 20 of 40 questions at 20 places" in text
    assert re.search(r"evidence of 2 of 2 questions at 2 places", text)
    asked = questions_of(page)
    assert len(asked) == 44


def test_a_question_has_its_golds_as_scored_flags_and_the_text_around() -> None:
    asked = questions_of(data_page(dataset([towers()]), NoProgress()))
    high, new = asked["How high?"], asked["What is new?"]
    assert high["answers"] == ["300 metres", "4 m"]
    assert high["forms"] == [
        ["300 metres", None, "the 300 Metres"],
        ["4 m", "candidates-contradict"],
    ]
    assert [reason for reason, _ in high["flags"]] == ["candidates-contradict"]
    assert high["marks"]["golds"] == [[0, 0], [999, 0]]
    (first, *parts), last = high["texts"]["golds"]
    assert first == 0.0
    assert parts == ["The tower is ", "300 metres", parts[2]]
    assert last[0] > 99.9
    assert (new["marks"]["golds"], new["texts"]["golds"]) == ([], [])
    assert [reason for reason, _ in new["flags"]] == ["gold-absent"]


def test_older_facts_and_sessions_with_evidence_are_marked() -> None:
    asked = questions_of(data_page(dataset([moves(), chats()]), NoProgress()))
    moved, settled = asked["Where does Pe4 live?"], asked["Where does Pf5 live?"]
    ((depth, before, fact, _),) = moved["texts"]["older values"]
    assert fact == "4. Pe4 lives in Old4."
    assert "3. Pd3" in before
    assert moved["marks"]["older values"] == [
        [int(10 * depth + 0.5), moved["marks"]["older values"][0][1]]
    ]
    assert settled["marks"]["older values"] == []
    two = asked["How many?"]
    ((_, before, turn, *_),) = two["texts"]["evidence"]
    assert turn == "Today I bought 2 red apples."
    assert "Chat Time: 2" in before
    # All of its session, one of four.
    ((start, width),) = two["marks"]["evidence"]
    assert 480 <= start <= 520
    assert 220 <= width <= 260
    assert "golds" not in two["marks"]
    assert two["type"] == "single-session-user"


def test_chunks_are_those_of_the_protocol(monkeypatch: pytest.MonkeyPatch) -> None:
    page = data_page(dataset([towers()]), NoProgress())
    ticks = re.findall(r'<path class="border" d="([^"]*)"', page)
    (chunks,) = list_chunks(dataset([towers()]), protocol_named("structured"))
    assert [each.count("M") for each in ticks] == [chunks.chunks]
    assert chunks.chunks > 10
    monkeypatch.setattr("mabench.injection._published_chunks", lambda *_, **__: ["a", "b", "cc"])
    page = data_page(dataset([towers()]), NoProgress(), "paper")
    assert '<path class="border" d="M0 26v7M250 26v7M500 26v7"' in page
    assert "under protocol paper" in page


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, browser: Browser) -> Path:
    """A folder with the page of three rows and that of hostile ones."""
    folder = tmp_path_factory.mktemp("data-pages")
    plain = data_page(dataset([towers(), chats(), moves()]), NoProgress())
    (folder / "plain.html").write_text(plain, encoding="utf-8")
    pairs = [(text, [text or "x", "gold"]) for text in _HOSTILE]
    evil = row("ruler_qa1_197K", " gold ".join(_HOSTILE), pairs)
    chat = chats()
    chat.metadata["question_types"] = [HOSTILE[0], HOSTILE[4]]
    chat.metadata["question_ids"] = [HOSTILE[1], HOSTILE[6]]
    made = Dataset.from_rows(HOSTILE[0] + HOSTILE[1], lambda: [evil, chat])
    hostile = data_page(made, NoProgress())
    (folder / "hostile.html").write_text(hostile, encoding="utf-8")
    return folder


@pytest.mark.parametrize("width", [320, 360, 1400])
@pytest.mark.parametrize("name", ["plain", "hostile"])
def test_a_page_fits_any_width_and_hostile_text_is_text(
    name: str, width: int, folder: Path, shown: Open
) -> None:
    with shown(folder / f"{name}.html", width=width) as seen:
        page = seen.page
        assert fits(page)
        strips = page.locator("[data-history] svg")
        sizes = [strip.bounding_box() for strip in strips.all()]
        assert all(size and size["width"] <= width and 7 <= size["height"] < 90 for size in sizes)
        for number in range(len(_HOSTILE) if name == "hostile" else 2):
            page.evaluate(f"location.hash = '#q/Accurate_Retrieval/0/{number}'")
            page.locator("#detail-title", has_text=re.compile(f"question {number}$")).wait_for()
            box: Any = page.evaluate("(d => d.scrollWidth <= d.clientWidth)(detail)")
            assert box
            assert fits(page)
            if name == "hostile":
                said = page.locator("#body .words").first.evaluate("one => one.textContent")
                assert said.startswith(_HOSTILE[number][:100])
        assert page.locator("img, iframe, script:not(body > script)").count() == 0
        assert (name == "plain") or HOSTILE[0] in page.title()


def test_questions_are_filtered_and_that_stands_in_the_address(folder: Path, shown: Open) -> None:
    with shown(folder / "plain.html") as seen:
        page = seen.page
        assert count(page) == "44 of 44 questions"
        for menu, value, number in (
            *(("source", _FACTS, 40), ("source", "longmemeval_s*", 2)),
            *(("type", "multi-session", 1), ("type", "-", 42), ("type", "*", 2)),
            *(("flag", "gold-absent", 1), ("flag", "*", 2), ("flag", "-", 42)),
        ):
            page.select_option(f"#{menu}", value)
            assert count(page) == f"{number} of 44 questions"
            page.select_option(f"#{menu}", "")
        page.fill("#text", "THE 300 METRES")
        assert count(page) == "1 of 44 questions"
        page.fill("#text", "new2")
        page.select_option("#source", _FACTS)
        page.click("th.places button")
        chosen, listed = page.url.partition("#")[2], page.locator("#rows a").all_inner_texts()
    assert listed == [f"Where does P{chr(97 + n % 26)}{n} live?" for n in (2, 20, 22, 24, 26, 28)]
    with shown(folder / "plain.html", f"#{chosen}") as seen:
        assert seen.page.locator("#rows a").all_inner_texts() == listed
        seen.page.click("p.history a >> nth=1")
        seen.page.wait_for_url(re.compile("Accurate_Retrieval"))
        seen.page.locator("#count", has_text="2 of 44 questions").wait_for()


def test_keys_walk_and_the_window_shows_a_question_alone(folder: Path, shown: Open) -> None:
    focused = "document.activeElement.textContent"
    with shown(folder / "plain.html") as seen:
        page = seen.page
        page.focus("#text")
        page.keyboard.type("lives")
        page.keyboard.press("Control+a")
        page.keyboard.type("live?")
        for key, number in (("Down", 0), ("Down", 1), ("Up", 0)):
            page.keyboard.press(f"Arrow{key}")
            assert page.evaluate(focused).startswith(f"Where does P{'ab'[number]}{number} ")
        page.keyboard.press("Enter")
        page.wait_for_selector("dialog[open]")
        dialog = page.locator("dialog")
        text = dialog.inner_text()
        for words in ("compared as new0", "A gold stands at 1 place", "An older value stands at"):
            assert words in text
        assert dialog.locator("mark").all_inner_texts() == ["New0", "0. Pa0 lives in Old0."]
        places = "(path => path.getAttribute('d').split('M').length - 1)"
        assert dialog.locator("path.golds").evaluate(places) == 1
        assert dialog.locator("path.older").evaluate(places) == 1
        assert dialog.locator("path.border").evaluate(places) >= 1
        page.keyboard.press("ArrowRight")
        page.locator("#detail-title", has_text="question 1").wait_for()
        assert dialog.locator("path.older").evaluate(places) == 0
        page.keyboard.press("Escape")
        page.wait_for_selector("#rows a:focus")
        assert page.evaluate(focused).startswith("Where does Pb1 ")


def test_what_is_listed_is_saved_as_csv(folder: Path, shown: Open) -> None:
    with shown(folder / "plain.html") as seen:
        seen.page.select_option("#flag", "*")
        with seen.page.expect_download() as saving:
            seen.page.click("#save")
        text = Path(saving.value.path()).read_text(encoding="utf-8")
    high, new = csv.DictReader(io.StringIO(text, newline=""))
    assert high["golds"] == '["300 metres","4 m"]'
    assert (high["places"], new["places"]) == ("2", "0")
    assert new["flags"] == "gold-absent"


def test_dark_is_dark_and_light_is_light(folder: Path, shown: Open) -> None:
    seen_in = {}
    for scheme in ("light", "dark"):
        with shown(folder / "plain.html", color_scheme=scheme) as seen:
            selectors = (("body", "backgroundColor"), ("[data-history] rect", "fill"))
            seen_in[scheme] = [brightness(seen.page, *each) for each in selectors]
            gold = brightness(seen.page, "[data-history] path.golds", "fill")
            assert abs(gold - seen_in[scheme][1]) > 0.3
    assert min(seen_in["light"]) > 0.85
    assert max(seen_in["dark"]) < 0.25


@pytest.mark.parametrize(("width", "scheme"), [(320, "dark"), (1400, "light")])
def test_axe_finds_nothing_serious(width: int, scheme: str, folder: Path, shown: Open) -> None:
    script = axe().read_text(encoding="utf-8")
    with shown(folder / "plain.html", width=width, color_scheme=scheme) as seen:
        seen.page.evaluate(script)
        assert violations(seen.page) == []
        seen.page.locator("#rows a").first.click()
        seen.page.wait_for_selector("dialog[open]")
        assert violations(seen.page) == []


@pytest.mark.slow
def test_a_page_of_the_whole_data_set_is_small_and_quick(tmp_path: Path, shown: Open) -> None:
    file = tmp_path / "full.html"
    start = monotonic()
    content = data_page(mabench.load("synthetic:full"), NoProgress())
    made = monotonic() - start
    file.write_text(content, encoding="utf-8")
    assert file.stat().st_size <= _LARGEST
    start = monotonic()
    with shown(file) as seen:
        assert seen.page.locator("[data-history]").count() == 146
        assert count(seen.page) == "3,671 of 3,671 questions"
        seen.page.select_option("#source", "longmemeval_s*")
        seen.page.locator("#count", has_text="300 of 3,671 questions").wait_for()
        usable = monotonic() - start
    size = file.stat().st_size / 1e6
    print(f"{size:.1f} MB made in {made:.0f} s, the first filter answers after {usable:.2f} s")
    assert usable <= 2
