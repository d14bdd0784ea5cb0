"""Serves a diary by the line protocol, as a program in another language would."""

import json
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
from worker_agents import Diary  # type: ignore[import-not-found]

DECLARED: dict[str, Any] = {
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


def serve(diary: Any, method: str, given: dict[str, Any]) -> Any:
    """Return what a call comes to; the parameters are passed on as they came."""
    if method == "add":
        return diary.add(**{"time": None, **given})
    if method == "search":
        diary.note("search", given["query"], given.get("time"))
        return [{"text": "found", "score": 1.0, "time": given.get("time")}]
    return getattr(diary, method)(**given)


if __name__ == "__main__":
    for line in sys.stdin:
        request = json.loads(line.lstrip("\x1e"))
        method, given = request["method"], request["params"]
        reply: dict[str, Any] = {"result": None}
        try:
            if method == "make":
                diary = Diary(given["folder"])
                reply = {"result": {"kind": "memory", **DECLARED}}
            elif method != "close":
                reply = {"result": serve(diary, method, given)}
        except Exception as error:
            reply = {"error": {"code": 1, "message": str(error)}}
        sys.stdout.write(
            "\x1e" + json.dumps({"jsonrpc": "2.0", "id": request["id"], **reply}) + "\n"
        )
        sys.stdout.flush()
