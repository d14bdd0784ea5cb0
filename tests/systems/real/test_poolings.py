"""The published poolings of models with random weights, beside torch and transformers themselves.

Nothing is downloaded. ``make test-memories`` runs it in the environment of ``dense``.
"""

from pathlib import Path
from typing import Any

import pytest

from mabench_memories.retrieval import DenseMemory

pytestmark = pytest.mark.real
torch = pytest.importorskip("torch", reason="the environment of `dense` has torch")
transformers = pytest.importorskip("transformers", reason="the environment of `dense` has it")

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
