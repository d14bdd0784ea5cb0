"""The published poolings, and a run over `transformers serve`, a server that is not ours.

Models are tiny ones with random weights, and the tokenizer of the server's is trained on this
project's own documents, so nothing is downloaded. Run by `make test-real`, which sets up what it
takes.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import mabench
from mabench.models import ModelSpec, Usage
from mabench.results.records.store import RunFolder
from mabench.specs import Limits
from mabench_memories.retrieval import DenseMemory
from tests.remote.mcp_serving import free_port, started

pytestmark = pytest.mark.real
torch = pytest.importorskip("torch", reason="`make test-real` installs torch and transformers")
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
    pieces.train([str(path) for path in (_ROOT / "docs").rglob("*.md")], trainer)
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
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the server prints: a line for each request, among others."""
    return tmp_path_factory.mktemp("server") / "log.txt"


@pytest.fixture(scope="module")
def server(model: Path, log: Path) -> Iterator[str]:
    """The base URL of a running server."""
    port, offline = free_port(), {"HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1"}
    command = [str(Path(sys.executable).with_name("transformers")), "serve", "--device", "cpu"]
    command += ["--host", "127.0.0.1", "--port", str(port)]
    how: Any = {"env": os.environ | offline, "stderr": subprocess.STDOUT}
    with log.open("wb") as file, started(command, port, 180, stdout=file, **how):
        yield f"http://127.0.0.1:{port}/v1"


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


class Asking:
    """Asks the model for each text, and in a stream for each query; notes what the server says."""

    reported: list[tuple[str, Usage]]

    def __init__(self, model: dict[str, str]) -> None:
        openai = pytest.importorskip("openai")
        self.client: Any = openai.OpenAI(base_url=model["base_url"], api_key=model["api_key"])
        self.model = model["name"]
        self.texts: list[str] = []

    def _asked(self, text: str, **how: Any) -> Any:
        messages = [{"role": "user", "content": text[:500]}]
        return self.client.chat.completions.create(
            model=self.model, messages=messages, max_tokens=8, **how
        )

    def add(self, text: str) -> None:
        said = self._asked(text).usage
        self.reported.append(("memorizing", Usage(said.prompt_tokens, said.completion_tokens)))
        self.texts.append(text)

    def search(self, query: str, k: int) -> list[str]:
        *_, last = self._asked(query, stream=True)
        used = Usage(last.usage.prompt_tokens, last.usage.completion_tokens)
        self.reported.append(("answering", used))
        return self.texts[:k]

    def close(self) -> None:
        self.client.close()


def _requests(log: Path) -> int:
    return log.read_text("utf-8", "replace").count('"POST /v1/chat/completions')


def test_the_meter_counts_what_the_server_reports(
    server: str, log: Path, model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    monkeypatch.setattr(Asking, "reported", [], raising=False)
    before = _requests(log)
    mabench.run(
        Asking,
        "synthetic:small",
        sources=["factconsolidation_sh_6k"],
        limit_questions=4,
        model=ModelSpec(f"openai/{model}", base_url=server, requests_in_flight=2, cache=False),
        limits=Limits(1, 2),
        out=tmp_path / "run",
        protocol=mabench.InjectionSpec(chunk_tokens=1000),
    )
    calls = [*RunFolder(tmp_path / "run").calls()]
    preflights = 1
    assert len(calls) + preflights == _requests(log) - before
    own = [call for call in calls if call.by == "memory"]
    counted = [(c.phase, Usage(c.input_tokens or 0, c.output_tokens or 0)) for c in own]
    assert sorted(counted) == sorted(Asking.reported)
    assert {phase for phase, _ in counted} == {"memorizing", "answering"}
    assert len([phase for phase, _ in counted if phase == "answering"]) == 4
    assert all(usage.input_tokens > 0 and 0 < usage.output_tokens <= 8 for _, usage in counted)
    assert not any(call.estimated or call.failed for call in calls)


_WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", *(f"word{number}" for number in range(40))]
_WINDOW = 12
_SMALL = {"hidden_size": 16, "intermediate_size": 32, "num_hidden_layers": 2}
TEXTS = [" ".join(f"word{(i * j * j) % 40}" for j in range(1, 4 + 9 * i)) for i in range(5)]


@pytest.fixture(scope="module", params=["bert", "qwen3"])
def encoder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model of the kind of Contriever's, and one of the kind of Qwen3's."""
    folder = tmp_path_factory.mktemp(request.param)
    (folder / "vocab.txt").write_text("\n".join(_WORDS) + "\n", encoding="utf-8")
    tokenizer = transformers.BertTokenizer(str(folder / "vocab.txt"), model_max_length=_WINDOW)
    transformers.set_seed(0)
    if request.param == "bert":
        config: Any = transformers.BertConfig(
            vocab_size=len(_WORDS), num_attention_heads=2, max_position_embeddings=32, **_SMALL
        )
        whole: Any = transformers.BertModel(config)
    else:
        config = transformers.Qwen3Config(
            vocab_size=len(_WORDS), num_attention_heads=2, num_key_value_heads=1, head_dim=8,
            **_SMALL,
        )  # fmt: skip
        whole = transformers.Qwen3Model(config)
    tokenizer.save_pretrained(folder)
    whole.save_pretrained(folder)
    return folder


@pytest.mark.parametrize("pooling", ["cls", "mean"])
def test_scores_are_those_of_the_states_themselves(encoder: Path, pooling: str) -> None:
    memory = DenseMemory(str(encoder), pooling=pooling, long_texts="cut")
    for text in TEXTS:
        memory.add(text)
    found = {passage.text: passage.score for passage in memory.search("word3 word7", 5)}
    tokenizer = transformers.AutoTokenizer.from_pretrained(encoder)
    whole = transformers.AutoModel.from_pretrained(encoder).eval()

    def vector(text: str) -> Any:
        ids = tokenizer(text)["input_ids"]
        if len(ids) > _WINDOW:  # What a tokenizer keeps of a long text, with its closing mark.
            ids = [*ids[: _WINDOW - 1], ids[-1]]
        with torch.no_grad():
            states = whole(torch.tensor([ids])).last_hidden_state[0]
        return states[0] if pooling == "cls" else states.sum(dim=0) / len(ids)

    asked = vector("word3 word7")
    expected = {
        text: float(torch.nn.functional.cosine_similarity(vector(text), asked, dim=0))
        for text in TEXTS
    }
    assert found == pytest.approx(expected, abs=1e-5)
