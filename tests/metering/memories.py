"""Memories that call a model by themselves, in this process or in one of their own.

The file is also run by interpreters that have nothing of ours.
"""

import contextlib
import json
import os
import threading
import time
import urllib.error
import urllib.request
from typing import Any


def call(base_url: str, key: str, path: str, body: dict[str, Any]) -> dict[str, Any]:
    """Call a model, three times where it fails, as OpenAI's clients do."""
    request = urllib.request.Request(
        f"{base_url}/{path}",
        json.dumps(body).encode(),
        {"Content-Type": "application/json", "Authorization": f"Bearer {key}"},
    )
    for attempt in range(3):
        try:
            with urllib.request.urlopen(request, timeout=30) as reply:
                return json.loads(reply.read())  # type: ignore[no-any-return]
        except urllib.error.HTTPError as error:
            if error.headers.get("x-should-retry") == "false" or attempt == 2:
                raise
        except OSError:
            if attempt == 2:
                raise
    raise AssertionError


class Calling:
    """Extracts by a chat for each chunk, and embeds each query."""

    def __init__(self, model: dict[str, str]) -> None:
        self.model = model
        self.texts: list[str] = []

    def _chat(self, text: str) -> None:
        messages = [{"role": "user", "content": text}]
        self._call("chat/completions", {"model": self.model["name"], "messages": messages})

    def _call(self, path: str, body: dict[str, Any]) -> None:
        call(self.model["base_url"], self.model["api_key"], path, body)

    def add(self, text: str) -> None:
        self._chat(text)
        self.texts.append(text)

    def search(self, query: str, k: int) -> list[str]:
        self._call("embeddings", {"model": "e", "input": query})
        return self.texts[:k]


class Late(Calling):
    """Calls once more a moment after it was closed."""

    def close(self) -> None:
        threading.Thread(target=self._after).start()

    def _after(self) -> None:
        time.sleep(0.2)
        with contextlib.suppress(OSError):
            self._chat("late")


class FromEnvironment(Calling):
    """Finds its model as OpenAI's clients do, and tells what it saw of keys."""

    def __init__(self) -> None:
        base_url, key = os.environ["OPENAI_BASE_URL"], os.environ["OPENAI_API_KEY"]
        super().__init__({"name": "m", "base_url": base_url, "api_key": key})

    def add(self, text: str) -> None:
        self._chat(f"{text} with {self.model['api_key']} of {sorted(os.environ)}")
        self.texts.append(text)


class Plain(FromEnvironment):
    """Finds its model as OpenAI's clients do, and asks of the text alone."""

    add = Calling.add
