"""Embedding models: texts to vectors of unit length, so that a product is a cosine."""

from __future__ import annotations

import asyncio
import itertools
import math
import threading
import weakref
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import cache, partial
from typing import TYPE_CHECKING, Any, Protocol

from mabench.errors import UsageError, require
from mabench.models.address import ModelAddress
from mabench.models.call_log import current_log
from mabench.models.errors import ModelError
from mabench.models.failure import Failure
from mabench.models.road import Road
from mabench.models.server import ModelServer
from mabench.models.usage import Usage
from mabench.redact import redact
from mabench.specs.model import RetryPolicy

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]

# From the states of a text's tokens, one a row, to one vector.
_POOLINGS: Mapping[str, Callable[[Vectors], Vectors]] = {
    "cls": lambda states: states[0],
    "mean": lambda states: states.mean(axis=0),
}
_OPENAI = "openai/"
_PATH = "embeddings"
_BATCH = 64
# Nothing tells of an outage here, so that nobody waits for its end for long.
_RETRY = RetryPolicy(attempts=6, patience=15.0)


class Embedder(Protocol):
    """A model that turns texts into vectors."""

    window: int  # How many tokens of a text it sees.
    truncates: bool  # It drops the rest of a longer text by itself; else it refuses the text.

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return a matrix of ``len(texts)`` rows of unit length, as 32-bit floats."""


@cache
def make_embedder(name: str, base_url: str | None = None, pooling: str | None = None) -> Embedder:
    """Return the embedding model of that name; a process loads it once.

    ``openai/NAME`` is on a server that speaks as OpenAI does, at ``base_url``, else at
    ``OPENAI_BASE_URL``, else OpenAI's own. Any other name is the folder of a sentence-transformers
    model, or its name on the hub; with a ``pooling``, ``cls`` or ``mean``, that of any transformer.

    Raises:
        MissingPackageError: when the package that it takes is not installed.
        UsageError: when the model cannot be loaded, or a server is to pool or has no key.
    """
    if not name.startswith(_OPENAI):
        return _load_transformer(name, pooling) if pooling else _load_sentence_transformer(name)
    if pooling:
        raise UsageError(
            f"pooling={pooling}: servers do their own pooling; leave it out with {name}",
            parameter="settings",
        )
    return _ServedEmbedder(name.removeprefix(_OPENAI), base_url)


class _LocalEmbedder:
    """A model in this process, which one thread at a time may use."""

    truncates = True

    def __init__(self, window: int, encode: Callable[[Sequence[str]], Vectors]) -> None:
        self.window, self._encode = window, encode
        self._one_at_a_time = threading.Lock()

    def embed(self, texts: Sequence[str]) -> Vectors:
        with self._one_at_a_time:
            # A tokenizer takes no lone surrogates.
            return self._encode([text.encode("utf-8", "replace").decode() for text in texts])


def _load_sentence_transformer(name: str) -> Embedder:
    package = require("sentence_transformers", "embeddings")
    require("transformers", "embeddings").utils.logging.disable_progress_bar()
    try:
        model = package.SentenceTransformer(name)
    except Exception as error:
        raise UsageError(
            f"embeddings={name}: no sentence-transformers model could be loaded "
            f"({type(error).__name__}); give the folder of one, its name on the hub, or openai/NAME"
        ) from error
    encode = partial(
        model.encode, batch_size=_BATCH, normalize_embeddings=True, show_progress_bar=False
    )
    return _LocalEmbedder(int(model.max_seq_length or 512), lambda texts: encode(list(texts)))


def _load_transformer(name: str, pooling: str) -> Embedder:
    """Return a transformer whose last states are pooled, one text at a time, without padding.

    The published figures of Contriever and Qwen3 (arXiv 2507.05257) rest on such poolings.
    """
    if pooling not in _POOLINGS:
        there = f"pooling={pooling}: there are {', '.join(_POOLINGS)}"
        raise UsageError(there, parameter="settings")
    package, torch = require("transformers", "embeddings"), require("torch", "embeddings")
    device = "cuda" if torch.cuda.is_available() else "cpu"
    try:
        tokenizer: Any = package.AutoTokenizer.from_pretrained(name)
        model: Any = package.AutoModel.from_pretrained(name).float().to(device).eval()
    except Exception as error:
        raise UsageError(
            f"embeddings={name}: no transformer could be loaded ({type(error).__name__}); "
            "give the folder of one, or its name on the hub",
            parameter="settings",
        ) from error

    def encode(texts: Sequence[str]) -> Vectors:
        import numpy as np

        vectors = []
        with torch.no_grad():
            for text in texts:
                tokens = tokenizer(text, truncation=True, return_tensors="pt")
                states = model(**tokens.to(device)).last_hidden_state[0]
                vectors.append(_POOLINGS[pooling](states.cpu().numpy()))
        return _normalize(np.stack(vectors))

    return _LocalEmbedder(int(tokenizer.model_max_length), encode)


class _ServedEmbedder:
    window = 8_000  # OpenAI's embedding models take 8,191 tokens.
    truncates = False

    def __init__(self, name: str, base_url: str | None, retry: RetryPolicy = _RETRY) -> None:
        address = ModelAddress.find(name, base_url)
        self._name, self._server = name, ModelServer(address, retry)
        self._where = f"{_OPENAI}{name} at {address.base_url}"
        self._road = Road(retry=retry, server=self._where)
        self._length = 0
        # Memories are called in threads and in event loops; connections belong to one loop.
        self._loop = asyncio.new_event_loop()
        thread = threading.Thread(target=self._loop.run_forever, name="embeddings", daemon=True)
        thread.start()
        weakref.finalize(self, _end, self._server, self._loop, thread)

    def embed(self, texts: Sequence[str]) -> Vectors:
        import numpy as np

        # A server may refuse an empty text; a blank one has no meaning either.
        inputs = [text.strip() or "." for text in texts]
        rows: list[list[float]] = []
        for start in range(0, len(inputs), _BATCH):
            send = partial(self._post, inputs[start : start + _BATCH])
            reply = self._road.send_with_retries(send, partial(self._post, ["."]))
            rows += asyncio.run_coroutine_threadsafe(reply, self._loop).result()
        self._length = self._length or len(rows[0] if rows else ())
        if any(len(row) != self._length for row in rows):
            raise ModelError(f"{self._where}: the embeddings changed their length")
        return _normalize(np.array(rows, dtype=np.float32))

    async def _post(self, inputs: list[str]) -> list[list[float]] | Failure:
        body = {"model": self._name, "input": inputs, "encoding_format": "float"}
        log = current_log.get()  # That of the thread which embeds: it came with the coroutine.
        end = log.begin(_PATH, self._name, tuple(inputs), by="memory") if log else None
        outcome: list[list[float]] | Failure = Failure("it was given up")
        usage = None
        try:
            reply = await self._server.post(_PATH, body)
            outcome = reply if isinstance(reply, Failure) else _read(reply, len(inputs))
            with suppress(ValueError):
                usage = Usage.read(reply)
            if usage is None and not isinstance(outcome, Failure):
                usage = Usage.estimate(body, "")
        finally:
            if end:
                error = redact(outcome.reason) if isinstance(outcome, Failure) else None
                end(usage=usage, error=error)
        return outcome


def _normalize(vectors: Vectors) -> Vectors:
    import numpy as np

    unit: Vectors = vectors / np.maximum(np.linalg.norm(vectors, axis=-1, keepdims=True), 1e-12)
    return unit


def _end(server: ModelServer, loop: asyncio.AbstractEventLoop, thread: threading.Thread) -> None:
    async def close() -> None:  # Before the loop stops, else aiohttp complains of connections.
        with suppress(Exception):
            await server.close()
        loop.stop()

    asyncio.run_coroutine_threadsafe(close(), loop)
    if threading.current_thread() is not thread:
        thread.join(1.0)


def _read(reply: Any, count: int) -> list[list[float]] | Failure:
    try:
        items = sorted(reply["data"], key=lambda item: item["index"])
        vectors = [[float(number) for number in item["embedding"]] for item in items]
    except (KeyError, TypeError, ValueError, OverflowError):
        return Failure("the reply holds no embeddings")
    if not all(vectors):
        return Failure("the reply holds empty embeddings")
    if len(vectors) != count:
        return Failure(f"the reply holds {len(vectors)} embeddings of {count} texts")
    if not all(map(math.isfinite, itertools.chain(*vectors))):
        return Failure("the embeddings of the reply contain a value that is not a number")
    return vectors
