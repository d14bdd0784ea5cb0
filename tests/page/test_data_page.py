"""The page of a data set: what it tells of rows and questions."""

from __future__ import annotations

import html
import re
from typing import Any

import pytest

from mabench.injection import protocol_named
from mabench.page.data_pages import data_page
from mabench.progress import NoProgress
from tests.command_line import succeed
from tests.page.made import chats, towers, unpacked
from tests.rows import dataset, moves, write_rows

for _name in ("vl_convert", "jinja2"):
    pytest.importorskip(_name)


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The page of moves, towers and chats."""
    folder = tmp_path_factory.mktemp("page")
    write_rows(folder / "rows.jsonl", [moves(), towers(), chats()])
    done = succeed("data", "page", "rows.jsonl", "--out", "page.html", cwd=folder)
    assert "written: page.html (0." in done.stderr
    return (folder / "page.html").read_text(encoding="utf-8")


@pytest.fixture
def asked(page: str) -> dict[str, Any]:
    """Its questions."""
    data = re.search(r'<template id="data"[^>]*>([^<]*)<', page)
    assert data
    return {one["question"]: one for one in unpacked(data[1])}


def test_the_file_has_inventory_strips_and_questions_but_no_history(
    page: str, asked: dict[str, Any]
) -> None:
    text = html.unescape(re.sub(r"<wbr>|<[^>]*>", "", page))
    assert "Whole histories are left out" in text
    assert "It is old. " * 40 not in page
    assert "no rows of: ruler_qa2_421K" in text
    assert "2 of 22" in text
    (lengths,) = re.findall(r"<figcaption>Length of .*?</figure>", page, re.DOTALL)
    assert lengths.count("<svg") == 2
    assert "longmemeval_s*" in html.unescape(lengths.replace("<wbr>", ""))
    assert page.count("<svg") == 5
    assert "golds of 1 of 2 questions at 2 places" in text
    assert "older values of 20 of 40 questions at 20 places" in text
    assert re.search(r"evidence of 2 of 2 questions at 2 places", text)
    assert len(asked) == 44


def test_a_question_has_its_golds_as_scored_flags_and_the_text_around(
    asked: dict[str, Any],
) -> None:
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


def test_older_facts_and_sessions_with_evidence_are_marked(asked: dict[str, Any]) -> None:
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
    (chunks,) = protocol_named("structured").list_chunks(dataset([towers()]))
    assert [each.count("M") for each in ticks] == [chunks.chunks]
    assert chunks.chunks > 10
    monkeypatch.setattr("mabench.injection._published_chunks", lambda *_, **__: ["a", "b", "cc"])
    page = data_page(dataset([towers()]), NoProgress(), "paper")
    assert '<path class="border" d="M0 26v7M250 26v7M500 26v7"' in page
    assert "under protocol paper" in page
