"""A run over a real OpenAI-compatible server that is not ours: `transformers serve`.

The model is a tiny Llama with random weights, and its tokenizer is trained on this project's own
documents, so nothing is downloaded. Run by `make test-real`, which sets up what it takes.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

import mabench
from mabench.models import ModelSpec
from mabench.runs import Limits

pytestmark = pytest.mark.real
pytest.importorskip("torch", reason="`make test-real` installs torch and transformers")
transformers = pytest.importorskip("transformers", reason="`make test-real` installs it")

_ROOT = Path(__file__).parents[2]
_TEMPLATE = "{% for m in messages %}{{ m['role'] }}: {{ m['content'] }}\n{% endfor %}assistant: "


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Llama of two small layers, with a tokenizer of 600 pieces."""
    from tokenizers import Tokenizer
    from tokenizers.decoders import ByteLevel as Decoder
    from tokenizers.models import BPE
    from tokenizers.pre_tokenizers import ByteLevel
    from tokenizers.trainers import BpeTrainer

    folder = tmp_path_factory.mktemp("model")
    pieces = Tokenizer(BPE())
    pieces.pre_tokenizer = ByteLevel(add_prefix_space=False)
    pieces.decoder = Decoder()
    trainer = BpeTrainer(
        vocab_size=600, special_tokens=["<s>", "</s>"], initial_alphabet=ByteLevel.alphabet()
    )
    pieces.train([str(path) for path in (_ROOT / "docs").glob("*.md")], trainer)
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_object=pieces, bos_token="<s>", eos_token="</s>", pad_token="</s>"
    )
    tokenizer.chat_template = _TEMPLATE
    tokenizer.save_pretrained(folder)
    transformers.set_seed(0)
    config = transformers.LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=2,
        max_position_embeddings=8192,
        bos_token_id=0,
        eos_token_id=1,
        pad_token_id=1,
    )
    transformers.LlamaForCausalLM(config).save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def server(model: Path) -> Iterator[str]:
    """The base URL of a running server."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [str(Path(sys.executable).with_name("transformers")), "serve"]
    process = subprocess.Popen(
        [*command, "--host", "127.0.0.1", "--port", str(port), "--device", "cpu"],
        env=os.environ | {"HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        _wait_until_it_listens(port, process)
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        process.terminate()
        process.wait(timeout=30)


def _wait_until_it_listens(port: int, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + 180
    while time.monotonic() < deadline:
        assert process.poll() is None, "the server ended"
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=2)
        except urllib.error.HTTPError:
            return
        except OSError:
            time.sleep(0.5)
            continue
        return
    raise AssertionError("the server did not come up")


def test_every_sample_has_the_servers_token_counts(
    server: str, model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MABENCH_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    choice = ModelSpec(f"openai/{model}", base_url=server, requests_in_flight=2)
    runs = [
        mabench.run(
            "bm25",
            "synthetic:small",
            sources=["factconsolidation_sh_6k"],
            limit_questions=6,
            model=choice,
            limits=Limits(1, 2),
            out=tmp_path / name,
        )
        for name in ("one", "two")
    ]
    samples = list(runs[0].samples())
    assert len(samples) == 6
    assert all(sample.error is None for sample in samples)
    assert all((sample.input_tokens or 0) > 100 for sample in samples)
    assert all(1 <= (sample.output_tokens or 0) <= 10 for sample in samples)
    assert all(sample.tokens_estimated is False for sample in samples)
    first, second = ({s.key: s.prediction for s in run.samples()} for run in runs)
    assert first == second
