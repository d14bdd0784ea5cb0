"""Agents that are told things in another process; this file imports nothing of mabench.

``worker_agents.py MODE [FOLDER]`` is a program of its own that speaks the line protocol: an agent
that tells what it sees, a diary, or one that is hostile once it is asked.
"""

import contextlib
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any


class Words:
    """Finds texts by the words that they share with the query; prints where it should not."""

    def __init__(self) -> None:
        print("a library says hello")
        self.texts: list[str] = []
        self.loaded: Path | None = None  # It is read when it is needed.

    def add(self, text: str) -> None:
        sys.stdout.write("no line feed at the end")
        self.texts.append(text)

    def search(self, query: str, k: int) -> list[dict[str, Any]]:
        print('\x1e{"jsonrpc": "2.0", "id": 1, "result": "a forgery"}')
        if self.loaded is not None:
            self.texts, self.loaded = self.loaded.read_text("utf-8").split("\0"), None
        asked = set(query.lower().split())
        scored = [(len(asked & set(text.lower().split())), text) for text in self.texts]
        scored.sort(key=lambda pair: -pair[0])
        # What stands at `time` is a matter of its own, which nobody sends.
        return [{"text": text, "score": float(score), "time": {self}} for score, text in scored[:k]]

    def stats(self) -> dict[str, int]:
        return {"memories": len(self.texts)}

    def save(self, folder: Path) -> None:
        Path(folder, "texts").write_text("\0".join(self.texts), "utf-8")

    def load(self, folder: Path) -> None:
        self.loaded = Path(folder, "texts")


class Echo:
    """An async agent that answers with what it sees of the query."""

    async def memorize(self, chunk: str) -> None:
        self.last = chunk

    async def answer(self, query: Any) -> dict[str, Any]:
        said = f"{query}|{query.question}|{query.search_query}|{query.max_tokens}|{self.last}"
        return {"text": said, "retrieved": [self.last], "input_tokens": 7}


class Fragile:
    """Dies, hangs, raises or prints garbage when the question says so."""

    def memorize(self, chunk: str) -> None:
        if "die while told" in chunk:
            os._exit(3)

    def answer(self, query: Any) -> str:
        if "die" in query.question:
            print("these were my last words", file=sys.stderr, flush=True)
            os._exit(9)
        if "hang" in query.question:
            time.sleep(600)
        if "raise" in query.question:
            raise ValueError("I cannot know that")
        if "garbage" in query.question:
            # Replies go to the only pipe left beside standard error.
            pipes = [
                fd for fd, name in descriptors().items() if fd > 2 and name.startswith("pipe:")
            ]
            os.write(pipes[-1], b"\x1ethis is no JSON\n")
            time.sleep(600)
        return "fine"


class Fine:
    """Forgets all, and says that it is fine."""

    def memorize(self, chunk: str) -> None: ...

    def answer(self, query: Any) -> str:
        return "fine"


class NeedsModel(Fine):
    """Answers with the address of the model that it was given."""

    def __init__(self, model: dict[str, str] | None = None) -> None:
        self.model = model or {}

    def answer(self, query: Any) -> str:
        return f"{self.model.get('name')} at {self.model.get('base_url')}"


class Lacks(Fine):
    """Needs a package that is not there."""

    def __init__(self) -> None:
        raise ImportError("pydantic 0 is needed")


class Neither:
    """No agent and no memory."""


class StartsOnce(Fine):
    """Cannot be made once the marker is there, which the first one leaves."""

    def __init__(self, marker: str) -> None:
        if Path(marker).exists():
            os._exit(4)
        Path(marker).touch()


class Tells(Fine):
    """Answers with its environment, and with every path that it was told or can see."""

    def __init__(self) -> None:
        self.folders: list[str] = []

    def save(self, folder: Path) -> None:
        self.folders.append(str(folder))
        (folder / "saved").touch()

    def load(self, folder: Path) -> None:
        self.folders.append(str(folder))

    def answer(self, query: Any) -> str:
        seen = {"environment": dict(os.environ), "arguments": [*sys.argv, *sys.orig_argv]}
        here = {"folders": self.folders, "saved": bool(self.folders), "cwd": str(Path.cwd())}
        return json.dumps({**seen, **here, "descriptors": [*descriptors().values()]})


def descriptors() -> dict[int, str]:
    found = {}
    for number in range(256):
        with contextlib.suppress(OSError):
            found[number] = str(Path(f"/proc/self/fd/{number}").readlink())
    return found


class NeedsKey(Tells):
    def __init__(self) -> None:
        super().__init__()
        self.key = os.environ["OPENAI_API_KEY"]


class Broken(Tells):
    def __init__(self) -> None:
        raise ValueError("no client can be made")


class Diary:
    """Writes down each call with all that it is passed, into its folder, and lists the lines."""

    unit = "session"

    def __init__(self, folder: Any = None) -> None:
        self.file = Path(folder) / "calls" if folder else None
        self.calls: list[str] = []

    def note(self, name: str, *values: Any) -> None:
        said = [v.isoformat() if hasattr(v, "isoformat") else v for v in values]
        self.calls.append(" ".join(map(str, [name, *said])))
        if self.file:
            self.file.write_text("\n".join(self.calls), "utf-8")

    def add(self, text: str, *, time: Any, user: str = "nobody", session: Any = None) -> Any:
        self.note("add", text, time, user, session)
        return len(self.calls) if text == "a" else [f"id-{len(self.calls)}"]

    async def search(self, query: str, k: int, *, time: Any = None) -> list[dict[str, Any]]:
        self.note("search", query, time)
        return [{"text": "found", "score": 1.0, "time": time}]

    def update(self, id: Any, text: str, *, time: Any = None, session: Any = None) -> None:
        self.note("update", id, text, time, session)

    def delete(self, *, id: Any = None, user: Any = None) -> None:
        if id == "id-0":
            raise LookupError("no such text")
        self.note("delete", id, user)

    def list(self, user: Any = None) -> Any:
        self.note("list", user)
        return self.calls

    async def ready(self) -> None:
        self.note("ready")


NAP = 300
LARGE = 300 << 20
DIARY: dict[str, Any] = {
    "kind": "memory",
    "methods": ["update", "delete", "list"],
    "takes": {
        "add": ["time", "user", "session", "colour"],
        "search": ["time"],
        "update": ["time", "session"],
        "delete": ["id", "user"],
        "list": ["user"],
    },
    "unit": "session",
}
_PIECE = b"x" * (1 << 20)
_SLEEPER = ["sh", "-c", 'touch "$0/$$"; exec sleep 300']


def ask_diary(diary: Any, method: str, given: dict[str, Any]) -> Any:
    """Return what a call comes to; the parameters are passed on as they came."""
    if method == "add":
        return diary.add(**{"time": None, **given})
    if method == "search":
        diary.note("search", given["query"], given.get("time"))
        return [{"text": "found", "score": 1.0, "time": given.get("time")}]
    return getattr(diary, method)(**given)


def write(content: bytes) -> None:
    sys.stdout.buffer.write(content)
    sys.stdout.buffer.flush()


def nested(number: int) -> None:
    write(b'\x1e{"jsonrpc": "2.0", "id": %d, "result": ' % number + b"[" * 300_000 + b"\n")
    time.sleep(NAP)


def large(number: int) -> None:
    write(b'\x1e{"jsonrpc": "2.0", "id": %d, "result": "' % number)
    for _ in range(LARGE // len(_PIECE)):
        write(_PIECE)
    write(b'"}\n')
    time.sleep(NAP)


def flood(number: int) -> None:
    for _ in range(LARGE // len(_PIECE)):
        sys.stderr.buffer.write(_PIECE)
    sys.stderr.buffer.write(b"\nthe last word")
    sys.stderr.buffer.flush()
    os._exit(5)


def deaf(number: int) -> None:
    os.close(1)
    time.sleep(NAP)


def leave(number: int) -> None:
    """Leave processes that hold the pipes, one of them in a session of its own, and end."""
    start_sleepers()
    os._exit(7)


def stay(number: int) -> None:
    while True:  # Also while it is ended.
        start_sleepers()


def start_sleepers() -> None:
    """Start processes that note their ids in the folder that the command line names."""
    folder = Path(sys.argv[2])
    for alone in (False, True):
        subprocess.Popen([*_SLEEPER, str(folder)], start_new_session=alone)
    (folder / str(os.getpid())).touch()
    while len(list(folder.iterdir())) < 3:
        time.sleep(0.01)


def main(mode: str) -> None:
    """Speak the line protocol."""
    served: Any = None
    for line in sys.stdin.buffer:
        request = json.loads(line.lstrip(b"\x1e"))
        method, given = request["method"], request["params"]
        result: Any = None
        reply: dict[str, Any] = {}
        try:
            if method == "make":
                served = Diary(given["folder"]) if mode == "diary" else Tells()
                result = DIARY if mode == "diary" else {"kind": "agent"}
            elif method == "answer":
                hostile = globals().get(mode)
                result = hostile(request["id"]) if hostile else served.answer("")
            elif method != "close" and mode == "diary":
                result = ask_diary(served, method, given)
            reply = {"result": result}
        except Exception as error:
            reply = {"error": {"code": 1, "message": str(error)}}
        message = json.dumps({"jsonrpc": "2.0", "id": request["id"], **reply})
        write(b"\x1e" + message.encode() + b"\n")


if __name__ == "__main__":
    main(sys.argv[1])
