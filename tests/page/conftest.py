"""A real browser for pages, or a skip that says what is missing."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

_FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]


class Seen(NamedTuple):
    """A page in a browser, with what it said on the console and what it asked for."""

    page: Page
    messages: list[str]
    requests: list[str]


Open = Callable[..., Any]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Debian's chromium, or what MABENCH_CHROMIUM names.

    It ends with the module: while it runs, so does an event loop, which other tests need.
    """
    for module in ("altair", "vl_convert", "jinja2"):
        if find_spec(module) is None:
            pytest.skip(f"{module} is not installed: pip install -e '.[page]'")
    if find_spec("playwright") is None:
        pytest.skip("playwright is not installed: pip install playwright")
    chromium = os.environ.get("MABENCH_CHROMIUM") or shutil.which("chromium")
    if not chromium:
        pytest.skip("no chromium is installed: apt-get install chromium, or set MABENCH_CHROMIUM")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=chromium, args=_FLAGS)
        yield opened
        opened.close()


@pytest.fixture
def shown(browser: Browser) -> Open:
    """Return what opens a file in a window, and holds it to say and ask nothing."""

    @contextmanager
    def show(file: Path, address: str = "", width: int = 1400, **settings: Any) -> Iterator[Seen]:
        context = browser.new_context(viewport={"width": width, "height": 900}, **settings)
        seen = Seen(context.new_page(), [], [])
        seen.page.on("console", lambda message: seen.messages.append(message.text))
        seen.page.on("pageerror", lambda error: seen.messages.append(str(error)))
        seen.page.on("dialog", lambda dialog: seen.messages.append(dialog.message))
        seen.page.on("request", lambda request: seen.requests.append(request.url))
        seen.page.goto(f"{file.as_uri()}{address}")
        if seen.page.locator("#list").count():
            seen.page.wait_for_selector("html[data-ready]")
        yield seen
        assert seen.messages == []
        fetched = [url for url in seen.requests if not url.startswith("data:")]
        assert {url.partition("#")[0] for url in fetched} == {file.as_uri()}
        context.close()

    return show
