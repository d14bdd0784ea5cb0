"""A server on loopback that breaks HTTP in every way that we know of, and counts its requests."""

import gzip
import itertools
import json
import re
import socket
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import NamedTuple

_OK = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
_CHUNKED = _OK + b"Transfer-Encoding: chunked\r\n\r\n"
_PIECE = b"1000\r\n" + b"x" * 4096 + b"\r\n"


class Shape(NamedTuple):
    """What is sent in place of a reply.

    ``sends`` gets the server's own address; with ``pause``, that many seconds lie between two of
    its parts, and with ``stays``, the connection stays open and silent behind the last one. Unless
    the connection ``ends``, further requests come over it.
    """

    name: str
    sends: Callable[[str], Iterable[bytes]]
    pause: float = 0.0
    stays: bool = False
    ends: bool = True


def sending(name: str, reply: bytes, ends: bool = False) -> Shape:
    return Shape(name, lambda _: [reply], ends=ends)


def _headed(*lines: bytes) -> bytes:
    return _OK + b"\r\n".join([*lines, b"Content-Length: 2", b"", b"{}"])


def _redirect(name: str, location: bytes, status: bytes = b"307") -> Shape:
    head = b"HTTP/1.1 %s Moved\r\nContent-Length: 0\r\nLocation: " % status
    return Shape(
        f"redirect: {name}",
        lambda url: [head + location.replace(b"HERE", url.encode()) + b"\r\n\r\n"],
        ends=False,
    )


def _sized(head: bytes, body: bytes) -> bytes:
    return head + b"Content-Length: %d\r\n\r\n" % len(body) + body


def _packed(encoding: bytes, content: bytes) -> bytes:
    return _sized(_headed(b"Content-Encoding: " + encoding)[:-21], content)


def _endless(start: bytes, piece: bytes) -> Callable[[str], Iterable[bytes]]:
    return lambda _: itertools.chain([start], itertools.repeat(piece))


_NUMBERS = itertools.count()
_BOMB = gzip.compress(b'{"data": "' + b" " * (1 << 26) + b'"}', compresslevel=9)  # 64 MiB.
_LENGTHS = (b"-1", b"9" * 30, b"two", b"+2", b"2 2", b"2, 3", b"", b"2\r\nContent-Length: 3")
_STATUS_LINES = (
    b"HTTP/2.0 200 OK", b"HTTP/0.9 200 OK", b"HTTP/1.9999 200 OK", b"HTTP/x 200 OK", b"ICY 200 OK",
    b"HTTP/1.1 abc OK", b"HTTP/1.1 99999 OK", b"HTTP/1.1 -200 OK", b"HTTP/1.1 000 OK", b"HTTP/1.1",
    b"HTTP/1.1 101 Switching Protocols", b"HTTP/1.1 500 \x00\xff\x1b[31m", b"HTTP/1.1 400 \xff",
    b"HTTP/1.1 200 \xff", b"\x00" * 50, b"x" * 100_000,
)  # fmt: skip
_BODIES = (
    b"", b"null", b"[]", b'"text"', b"{}", b"1e999", b"[" * 100_000, b"9" * 10_000,
    b"\xff\xfe\x00", b'{"choices": 3, "data": 3, "usage": [1]}',
)  # fmt: skip
_PLACES = {
    "invalid port": b"http://127.0.0.1:99999/v1",
    "port that is none": b"http://127.0.0.1:port/v1",
    "invalid host": b"http://[::1/v1",
    "empty host": b"http:///v1",
    "host with a blank": b"http://exa mple/v1",
    "host with other characters": b"http://\xff\xfe/v1",
    "host that is too long": b"http://" + b"x" * 300 + b".invalid/v1",
    "NUL": b"/v1\x00",
    "other scheme": b"javascript:alert(1)",
    "empty": b"",
    "other host": b"http://other.invalid/v1",
}
# Bytes that are no HTTP, or HTTP that is cut off.
BROKEN = [
    *(
        sending(f"chunk of the size {size!r}", _CHUNKED + size + b"\r\n{}\r\n0\r\n\r\n")
        for size in (b"zz", b"", b"-2", b"f" * 17, b"f" * 5000, b"0x2", b"2;" + b"x" * 100_000)
    ),
    sending("chunk without its end", _CHUNKED + b"2\r\n{}xx0\r\n\r\n"),
    sending("chunks cut off", _CHUNKED + b"ff\r\n{", ends=True),
    *(
        sending(f"Content-Length: {length!r}", _OK + b"Content-Length: " + length + b"\r\n\r\n{}")
        for length in _LENGTHS
    ),
    sending("Content-Length and chunks", _headed(b"Transfer-Encoding: chunked")),
    sending("Transfer-Encoding of no kind", _headed(b"Transfer-Encoding: odd, chunked")),
    *(
        sending(f"status line {line!r}", line + b"\r\nContent-Length: 2\r\n\r\n{}")
        for line in _STATUS_LINES
    ),
    sending("no status line", b'{"a": 1}'),
    sending("nothing", b"", ends=True),
    sending("half a head", _OK, ends=True),
    sending("too many headers", _headed(*(b"X-%d: 1" % number for number in range(5000)))),
    sending("a long header", _headed(b"X: " + b"x" * 1_000_000)),
    sending("NUL in a header", _headed(b"X: a\x00b")),
    sending("NUL in a name", _headed(b"X\x00Y: a")),
    sending("a header without colon", _headed(b"nothing")),
    sending("a header without name", _headed(b": nothing")),
    sending("other characters in a header", _headed(b"X: \xff\xfe\xc3\x28")),
    sending("escapes in a header", _headed(b"X: \x1b[31m\x7f")),
    sending("CR in a header", _headed(b"X: a\rb")),
    sending("a body cut off", _OK + b"Content-Length: 100\r\n\r\n{", ends=True),
    *(
        sending(f"packed: {name}", _packed(encoding, content))
        for name, encoding, content in (
            ("bomb", b"gzip", _BOMB),
            ("broken", b"gzip", b"\x1f\x8b\x08nothing"),
            ("deflate", b"deflate", b"x"),
            ("unknown", b"odd", b"{}"),
        )
    ),
]
# HTTP, but no reply that could be used.
UNUSABLE = [
    *(sending(f"body {body[:20]!r}", _sized(_headed()[:-21], body)) for body in _BODIES),
    sending("a charset that is none", _headed(b"Content-Type: application/json; charset=zlib")),
    *(_redirect(name, place) for name, place in _PLACES.items()),
    *(
        _redirect(f"loop with {status.decode()}", b"HERE/again", status)
        for status in (b"301", b"302", b"303", b"307", b"308")
    ),
    Shape(
        "redirect: loop that grows",
        lambda url: [
            b"HTTP/1.1 307 Moved\r\nContent-Length: 0\r\nLocation: %s/%d\r\n\r\n"
            % (url.encode(), next(_NUMBERS))
        ],
        ends=False,
    ),
]
# What is never over; those of ``endless`` send as fast as they are read.
WAITING = [
    Shape("silent", lambda _: [], stays=True),
    Shape("half a head and silent", lambda _: [_OK], stays=True),
    Shape("half a body and silent", lambda _: [_OK + b"Content-Length: 100\r\n\r\n{"], stays=True),
    Shape("a head, a byte at a time", lambda _: map(bytes, zip(_OK * 1000)), pause=0.05),
    Shape("chunks, a byte at a time", _endless(_CHUNKED, b"1\r\n \r\n"), pause=0.05),
    Shape(
        "events without end",
        _endless(_CHUNKED.replace(b"application/json", b"text/event-stream"), b"4\r\n: \n\n\r\n"),
        pause=0.05,
    ),
    Shape("a body, a byte at a time", _endless(_sized(_OK, b" " * 10_000)[:-9_999], b" "), 0.05),
    Shape("chunks without end", _endless(_CHUNKED, _PIECE * 64)),
    Shape("a body without end", _endless(_OK + b"\r\n", b"x" * (1 << 18))),
    Shape("headers without end", _endless(_OK, b"X: 1\r\n" * 1000)),
    Shape("a header without end", _endless(_OK + b"X: ", b"x" * 4096)),
    Shape("continue without end", _endless(b"", b"HTTP/1.1 100 Continue\r\n\r\n" * 100)),
    Shape("trailers without end", _endless(_CHUNKED + b"0\r\n", b"X: 1\r\n" * 1000)),
    Shape("a chunk size without end", _endless(_CHUNKED, b"0" * 4096)),
]
SHAPES = [*BROKEN, *UNUSABLE, *WAITING]


class Broken:
    def __init__(self) -> None:
        self.url = ""
        self.paths: list[str] = []
        self.stopped = threading.Event()


# Says for a request, by path, body and number, what to reply: a shape, or an object.
Answer = Callable[[str, bytes, int], "Shape | object"]


@contextmanager
def breaking(answer: Answer) -> Iterator[Broken]:
    served = Broken()
    listener = socket.create_server(("127.0.0.1", 0), backlog=512)
    served.url = f"http://127.0.0.1:{listener.getsockname()[1]}"

    def accept() -> None:
        with suppress(OSError):
            while True:
                connection, _ = listener.accept()
                threading.Thread(
                    target=_serve, args=(served, connection, answer), daemon=True
                ).start()

    threading.Thread(target=accept, daemon=True).start()
    try:
        yield served
    finally:
        served.stopped.set()
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()


def _serve(served: Broken, connection: socket.socket, answer: Answer) -> None:
    with suppress(OSError), connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        while (request := _request(connection)) is not None:
            path, body = request
            served.paths.append(path)
            outcome = answer(path, body, len(served.paths))
            if not isinstance(outcome, Shape):
                connection.sendall(_sized(_OK, json.dumps(outcome).encode()))
                continue
            for part in outcome.sends(served.url):
                connection.sendall(part)
                if served.stopped.wait(outcome.pause) if outcome.pause else served.stopped.is_set():
                    return
            if not outcome.ends:
                continue
            if outcome.stays:
                served.stopped.wait()
            connection.shutdown(socket.SHUT_WR)
            while (request := _request(connection)) is not None:  # It was sent all the same.
                served.paths.append(request[0])
            return


def _request(connection: socket.socket) -> tuple[str, bytes] | None:
    data = b""
    while b"\r\n\r\n" not in data:
        more = connection.recv(65536)
        if not more:
            return None
        data += more
    head, _, body = data.partition(b"\r\n\r\n")
    length = re.search(rb"(?im)^content-length: *(\d+)", head)
    while length and len(body) < int(length[1]):
        more = connection.recv(65536)
        if not more:
            return None
        body += more
    return head.split(b" ", 2)[1].decode(), body
