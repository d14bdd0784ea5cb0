"""A stand-in for the package of that name: the same server to its clients, without a model.

It replies ``Paris it is``, counts four characters as a token (or STAND_IN_CHARACTERS), and writes
a line for each start and each request to the file that STAND_IN_LOG names.
"""

import json
import os
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class _Settings:
    """Takes any attribute, as many parameters of llama.cpp are set and then not looked at here."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        self.__dict__[name] = _Settings()
        return self.__dict__[name]


class CommonParams(_Settings):
    pass


def _log(**what: object) -> None:
    with open(os.environ["STAND_IN_LOG"], "a", encoding="utf-8") as file:  # noqa: PTH123
        file.write(json.dumps(what) + "\n")


class Server:
    def __init__(self, parameters: Any) -> None:
        if failure := os.environ.get("STAND_IN_FAILURE"):
            os.write(2, failure.encode() + b"\n")
            raise RuntimeError("Failed to init server, please check the input params.")
        handler = type("Bound", (_Handler,), {"parameters": parameters})
        self._server = ThreadingHTTPServer((parameters.hostnames[0], parameters.port), handler)
        _log(
            started=os.getpid(),
            slots=parameters.n_parallel,
            context=parameters.n_ctx,
            words=" ".join(_command_line()),
        )
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    @property
    def listening_address(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"


def _command_line() -> list[str]:
    import sys

    return [*sys.orig_argv, *os.environ.values()]


class _Handler(BaseHTTPRequestHandler):
    parameters: Any
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.headers.get("Authorization") != f"Bearer {self.parameters.api_keys[0]}":
            self._send(401, {"error": {"message": "Invalid API Key", "code": 401}})
            return
        prompt = body["messages"][-1]["content"]
        tokens = sum(len(one["content"]) for one in body["messages"])
        tokens //= int(os.environ.get("STAND_IN_CHARACTERS", "4"))
        context = self.parameters.n_ctx // self.parameters.n_parallel
        _log(asked=prompt, tokens=tokens)
        if os.environ.get("STAND_IN_DIES_AT", "nowhere") in prompt:
            os._exit(1)
        if tokens >= context:
            kind = "exceed_context_size_error"
            error = {"message": "too long", "type": kind, "n_prompt_tokens": tokens}
            self._send(400, {"error": error | {"n_ctx": context, "code": 400}})
            return
        message = {"role": "assistant", "content": "Paris it is"}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        usage = {"prompt_tokens": tokens, "completion_tokens": 3, "total_tokens": tokens + 3}
        self._send(200, {"choices": [choice], "usage": usage})

    def _send(self, status: int, content: object) -> None:
        body = json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002
        pass
