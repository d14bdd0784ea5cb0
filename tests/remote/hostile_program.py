"""A program that speaks the line protocol until it is asked, and then does what it is told.

``hostile_program.py MODE [FOLDER]``. It starts processes that note their ids in FOLDER.
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

NAP = 300
LARGE = 300 << 20
_PIECE = b"x" * (1 << 20)
_SLEEPER = (
    "import os, sys, time; open(f'{sys.argv[1]}/{os.getpid()}', 'w').close(); time.sleep(300)"
)


def write(content: bytes) -> None:
    sys.stdout.buffer.write(content)
    sys.stdout.buffer.flush()


def reply(number: int, result: Any) -> None:
    message = json.dumps({"jsonrpc": "2.0", "id": number, "result": result})
    write(b"\x1e" + message.encode() + b"\n")


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
    start_sleepers()
    time.sleep(NAP)


def start_sleepers() -> None:
    folder = Path(sys.argv[2])
    for alone in (False, True):
        subprocess.Popen([sys.executable, "-c", _SLEEPER, str(folder)], start_new_session=alone)
    (folder / str(os.getpid())).touch()
    while len(list(folder.iterdir())) < 3:
        time.sleep(0.01)


def serve(act: Callable[[int], None]) -> None:
    for line in sys.stdin.buffer:
        request = json.loads(line.lstrip(b"\x1e"))
        if request["method"] == "answer":
            act(request["id"])
        reply(request["id"], {"kind": "agent"} if request["method"] == "make" else None)


if __name__ == "__main__":
    serve(globals()[sys.argv[1]])
