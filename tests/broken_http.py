"""A server on loopback that breaks HTTP in every way that we know of, and counts its requests."""

import gzip
import itertools
import json
import re
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import NamedTuple

_OK = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
_CHUNKED = _OK + b"Transfer-Encoding: chunked\r\n\r\n"
_EVENTS = _CHUNKED.replace(b"application/json", b"text/event-stream")


class Shape(NamedTuple):
    """What is sent in place of a reply; HERE stands for the server's own address.

    ``endless`` follows again and again, each time after ``pause`` seconds. With ``stays`` the
    connection stays open and silent. Unless it ``ends``, further requests come over it.
    """

    name: str
    sends: bytes
    endless: bytes = b""
    pause: float = 0.0
    stays: bool = False
    ends: bool = False


def _sized(head: bytes, body: bytes) -> bytes:
    return head + b"Content-Length: %d\r\n\r\n" % len(body) + body


def _headed(*lines: bytes, body: bytes = b"{}") -> bytes:
    return _sized(_OK + b"".join(line + b"\r\n" for line in lines), body)


def _redirect(location: bytes, status: bytes = b"307") -> bytes:
    head = b"HTTP/1.1 %s Moved\r\nContent-Length: 0\r\nLocation: " % status
    return head + location + b"\r\n\r\n"


_BOMB = gzip.compress(b'{"data": "' + b" " * (1 << 26) + b'"}', compresslevel=9)  # 64 MiB.
_SIZES = (b"zz", b"", b"-2", b"f" * 17, b"f" * 5000, b"0x2", b"2;" + b"x" * 100_000)
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
_HEADERS = {
    "Content-Length and chunks": b"Transfer-Encoding: chunked",
    "Transfer-Encoding of no kind": b"Transfer-Encoding: odd, chunked",
    "too many headers": b"\r\n".join(b"X-%d: 1" % number for number in range(5000)),
    "a long header": b"X: " + b"x" * 1_000_000,
    "NUL in a header": b"X: a\x00b",
    "NUL in a name": b"X\x00Y: a",
    "a header without colon": b"nothing",
    "a header without name": b": nothing",
    "other characters in a header": b"X: \xff\xfe\xc3\x28",
    "escapes in a header": b"X: \x1b[31m\x7f",
    "CR in a header": b"X: a\rb",
}
_PACKED = {
    "bomb": (b"gzip", _BOMB),
    "broken": (b"gzip", b"\x1f\x8b\x08nothing"),
    "deflate": (b"deflate", b"x"),
    "unknown": (b"odd", b"{}"),
}
# Bytes that are no HTTP, or HTTP that is cut off.
BROKEN = [
    *(Shape(f"chunk of the size {n!r}", _CHUNKED + n + b"\r\n{}\r\n0\r\n\r\n") for n in _SIZES),
    Shape("chunk without its end", _CHUNKED + b"2\r\n{}xx0\r\n\r\n"),
    Shape("chunks cut off", _CHUNKED + b"ff\r\n{", ends=True),
    *(
        Shape(f"Content-Length: {length!r}", _OK + b"Content-Length: " + length + b"\r\n\r\n{}")
        for length in _LENGTHS
    ),
    *(
        Shape(f"status line {line!r}", line + b"\r\nContent-Length: 2\r\n\r\n{}")
        for line in _STATUS_LINES
    ),
    Shape("no status line", b'{"a": 1}'),
    Shape("nothing", b"", ends=True),
    Shape("half a head", _OK, ends=True),
    *(Shape(name, _headed(header)) for name, header in _HEADERS.items()),
    Shape("a body cut off", _OK + b"Content-Length: 100\r\n\r\n{", ends=True),
    *(
        Shape(f"packed: {name}", _headed(b"Content-Encoding: " + encoding, body=body))
        for name, (encoding, body) in _PACKED.items()
    ),
]
# HTTP, but no reply that could be used.
UNUSABLE = [
    *(Shape(f"body {body[:20]!r}", _headed(body=body)) for body in _BODIES),
    Shape("a charset that is none", _headed(b"Content-Type: application/json; charset=zlib")),
    *(Shape(f"redirect: {name}", _redirect(place)) for name, place in _PLACES.items()),
    *(
        Shape(f"redirect: loop with {status.decode()}", _redirect(b"HERE/again", status))
        for status in (b"301", b"302", b"303", b"307", b"308")
    ),
    Shape("redirect: loop that grows", _redirect(b"HERE/NUMBER")),
]
# What is never over; those without a pause are sent as fast as they are read.
WAITING = [
    Shape("silent", b"", stays=True),
    Shape("half a head and silent", _OK, stays=True),
    Shape("half a body and silent", _OK + b"Content-Length: 100\r\n\r\n{", stays=True),
    Shape("a head, a line at a time", _OK, b"X: 1\r\n", 0.05),
    Shape("chunks, a byte at a time", _CHUNKED, b"1\r\n \r\n", 0.05),
    Shape("events without end", _EVENTS, b"4\r\n: \n\n\r\n", 0.05),
    Shape("a body, a byte at a time", _OK + b"Content-Length: 10000\r\n\r\n", b" ", 0.05),
    Shape("chunks without end", _CHUNKED, (b"1000\r\n" + b"x" * 4096 + b"\r\n") * 64),
    Shape("a body without end", _OK + b"\r\n", b"x" * (1 << 18)),
    Shape("headers without end", _OK, b"X: 1\r\n" * 1000),
    Shape("a header without end", _OK + b"X: ", b"x" * 4096),
    Shape("continue without end", b"", b"HTTP/1.1 100 Continue\r\n\r\n" * 100),
    Shape("trailers without end", _CHUNKED + b"0\r\n", b"X: 1\r\n" * 1000),
    Shape("a chunk size without end", _CHUNKED, b"0" * 4096),
]
SHAPES = [*BROKEN, *UNUSABLE, *WAITING]
_NUMBERS = itertools.count()


class Broken:
    def __init__(self) -> None:
        self.url = ""
        self.paths: list[str] = []
        self.stopped = threading.Event()


# Says for a request, by path, body and number, what to reply: a shape, or an object.
Answer = Callable[[str, bytes, int], Shape | object]


@contextmanager
def breaking(answer: Answer) -> Iterator[Broken]:
    served = Broken()
    listener = socket.create_server(("127.0.0.1", 0), backlog=512)
    served.url = f"http://127.0.0.1:{listener.getsockname()[1]}"

    def accept() -> None:
        with suppress(OSError):
            while True:
                given = served, listener.accept()[0], answer
                threading.Thread(target=_serve, args=given, daemon=True).start()

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
            shape = answer(path, body, len(served.paths))
            if not isinstance(shape, Shape):
                connection.sendall(_sized(_OK, json.dumps(shape).encode()))
                continue
            reply = shape.sends.replace(b"HERE", served.url.encode())
            connection.sendall(reply.replace(b"NUMBER", b"%d" % next(_NUMBERS)))
            while shape.endless and not served.stopped.wait(shape.pause):
                connection.sendall(shape.endless)
            if shape.stays:
                served.stopped.wait()
            if shape.ends or shape.endless or shape.stays:
                connection.shutdown(socket.SHUT_WR)
                while (request := _request(connection)) is not None:  # It was sent all the same.
                    served.paths.append(request[0])
                return


def _request(connection: socket.socket) -> tuple[str, bytes] | None:
    """Return the path and the body of a request; None when there are no more."""
    data, length = b"", 0
    while b"\r\n\r\n" not in data or len(data.partition(b"\r\n\r\n")[2]) < length:
        more = connection.recv(65536)
        if not more:
            return None
        data += more
        sized = re.search(rb"(?im)^content-length: *(\d+)", data.partition(b"\r\n\r\n")[0])
        length = int(sized[1]) if sized else 0
    return data.split(b" ", 2)[1].decode(), data.partition(b"\r\n\r\n")[2]
