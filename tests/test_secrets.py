import asyncio
import base64
import json
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import quote

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mabench.runs
from mabench.contract import Query
from mabench.errors import UsageError
from mabench.models import ModelSpec, ReadingModel
from mabench.models.errors import ModelError
from mabench.redact import note_secrets, redact, redact_values
from mabench.remote.http_channel import http_factory
from mabench.results import Run, Sample
from mabench.runs.sweeping import name_agent
from mabench.specs import AgentSpec
from tests.command_line import mabench as mabench_command
from tests.models.server import Fault, Served, serving
from tests.remote.http_serving import serving as serving_memories
from tests.rows import dataset, row
from tests.runs.agents import Oslo, like

# No form of a provider's: it has to be known by its value.
_KEY = "Zq7vT2mXw9LrB4nKd8Hs"
_LOGIN = base64.b64encode(f"me:{_KEY}".encode()).decode()
_SMALL = ("--data", "synthetic:small", "--source", "ruler_qa1_197K", "--limit-questions", "2")
_LEAST = 8  # So many characters of a key in a row are a leak.

Command = Callable[..., str]


def leaks(text: str) -> list[str]:
    """Return the pieces of the key in a text."""
    pieces = {_KEY[i : i + _LEAST] for i in range(len(_KEY) - _LEAST + 1)}
    return [piece for piece in [*sorted(pieces), _LOGIN] if piece in text]


@pytest.fixture
def command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Command:
    """Runs a command line in an empty folder; returns what it printed, and fails on a leak."""
    monkeypatch.setenv("OPENAI_API_KEY", _KEY)
    monkeypatch.setenv("MABENCH_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)

    def files() -> set[Path]:
        return {file for file in tmp_path.rglob("*") if file.is_file()}

    def run(*arguments: str) -> str:
        before = files()
        done = mabench_command(*arguments, cwd=tmp_path)
        printed = "".join((*done[1:], *capfd.readouterr()))
        assert leaks(printed) == [], printed
        # What is compiled of a file of our own repeats it.
        for file in (one for one in files() - before if one.parent.name != "__pycache__"):
            name = str(file.relative_to(tmp_path))
            assert leaks(name + file.read_bytes().decode("utf-8", "replace")) == [], name
        return printed

    return run


def module(tmp_path: Path, name: str, body: str) -> None:
    (tmp_path / f"{name}.py").write_text(textwrap.dedent(body), encoding="utf-8")


def model(served: Served) -> tuple[str, ...]:
    return ("--model", "openai/gpt-4o-mini", "--base-url", served.url)


def test_a_server_that_repeats_the_key(command: Command) -> None:
    message = f"Incorrect API key provided: {_KEY}. Authorization: Bearer {_KEY}"
    said = json.dumps({"error": {"message": message}})
    for status in ("400", "401", "404", "422"):
        with serving(lambda _: Fault(status, body=said)) as served:  # noqa: B023
            printed = command("run", "bm25", *_SMALL, *model(served))
        assert "Incorrect API key provided: [secret]" in printed


def test_a_reply_with_the_key_is_not_cached(command: Command, tmp_path: Path) -> None:
    with serving(lambda _: f"The key is {_KEY}.") as served:
        command("run", "bm25", *_SMALL, *model(served), "--out", "out")
        sent = served.paid.total()
        printed = command("run", "bm25", *_SMALL, *model(served), "--out", "again")
        assert served.paid.total() == 2 * sent, "what is kept would answer without the key"
        assert "not every reply was cached for later runs" in printed
        run = ("run", "oracle", "--data", "synthetic:small", "--limit-questions", "1")
        command(*run, "--source", "longmemeval_s*", "--out", "judged")
        printed = command("judge", "judged", *model(served))
    samples = (tmp_path / "out" / "samples.jsonl").read_text(encoding="utf-8")
    assert samples.count("The key is [secret].") == 2
    assert (tmp_path / "cache" / "replies.sqlite").is_file()
    assert "no verdict in 3 replies" in printed


_RAISING = f"""
    import os, sys, threading
    KEY = os.environ.get("OPENAI_API_KEY", "{_KEY[:10]}" "{_KEY[10:]}")

    class Agent:
        def memorize(self, chunk):
            print("memorizing with", KEY)
            print("memorizing with", KEY, file=sys.stderr)

        def answer(self, query):
            raise ValueError("x" * 1_985 + KEY)

    class Answering(Agent):
        def answer(self, query):
            return {{"text": f"it is {{KEY}}", "retrieved": [KEY]}}

    class Literal(Agent):
        def answer(self, query):
            raise ValueError("no")  # {_KEY}

    class Wrong(Agent):
        def answer(self, query):
            return {{"text": None, "x" * 20: KEY * 3}}

    class Unmade:
        def __init__(self):
            raise ValueError("x" * 180 + KEY)

    class Threaded(Agent):
        def memorize(self, chunk):
            thread = threading.Thread(target=self.answer, args=("",))
            thread.start()
            thread.join()
    """


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
@pytest.mark.parametrize("name", ["Agent", "Answering", "Literal", "Wrong", "Unmade", "Threaded"])
@pytest.mark.parametrize("elsewhere", [False, True])
def test_an_agent_with_the_key(
    command: Command, tmp_path: Path, name: str, elsewhere: bool
) -> None:
    module(tmp_path, "holder", _RAISING)
    python = ("--python", sys.executable) if elsewhere else ()
    printed = command("run", f"holder:{name}", *_SMALL, *python, "--out", "out")
    assert "ValueError" in printed or name in ("Answering", "Wrong", "Threaded")


def test_a_setting_that_is_a_key(command: Command, tmp_path: Path) -> None:
    secret = _KEY[::-1]
    body = """
    class Keyed:
        def __init__(self, api_key="", headers=None): self.key = api_key
        def memorize(self, chunk): pass
        def answer(self, query): raise ValueError(f"refused: {self.key}")
    """
    module(tmp_path, "keyed", body)
    printed = command("run", "keyed:Keyed", *_SMALL, "--set", f"api_key={secret}")
    assert "refused: [secret]" in printed
    assert "--set api_key=[secret]" in printed
    record = next((tmp_path / "runs").rglob("run.json"))
    assert secret not in printed + record.read_text(encoding="utf-8") + str(record)


_SETTINGS = (
    *("passphrase", "pwd", "auth", "authorization", "bearer", "cookie", "pat", "webhook"),
    *("session", "credential", "private_key", "signature", "dsn", "connection_string"),
)
# Ordinary words are hidden as values, too, but nowhere else.
_TOLD = ["Hunter", "horse battery", _KEY]


@pytest.mark.parametrize("told", _TOLD)
def test_settings_that_are_secret_stand_nowhere(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, told: str
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    monkeypatch.setattr("mabench.redact.known._noted", set())
    body = """
    class Open:
        def __init__(self, **settings): self.settings = settings
        def add(self, text): pass
        def search(self, query, k): return []
    """
    module(tmp_path, "settled", body)
    settings = [word for name in _SETTINGS for word in ("--set", f"{name}={told}")]
    printed = command("run", "settled:Open", *_SMALL, *settings, "--out", "out")
    printed += command("show", "out") + command("report", "out", "--format", "csv")
    printed += command("export", "out", "--to", "csv", "--out", "out.csv")
    printed += command("run", "settled:Nothing", *_SMALL, *settings)
    printed += command("run", "settled:Open", *_SMALL, *settings, "--set", "k=x")
    files = [file for file in tmp_path.rglob("*") if file.is_file() and file.suffix != ".pyc"]
    assert [file for file in files if told in f"{file}{file.read_bytes()!r}"] == []
    assert told not in printed
    record = json.loads((tmp_path / "out" / "run.json").read_text(encoding="utf-8"))
    assert all(f"{name}=[secret]" in record["command"] for name in _SETTINGS)
    assert all(f"{name}=[secret]" in record["agent"] for name in _SETTINGS)


def test_the_folders_of_a_sweep_are_named_without_secrets() -> None:
    spec = AgentSpec(agent="module:Class", settings=dict.fromkeys(_SETTINGS, "Hunter") | {"k": 3})
    name = name_agent(spec)
    assert name.startswith("module-Class-passphrase-secret-pwd-secret-auth-secret")
    assert "Hunter" not in name


@pytest.mark.parametrize(
    "words",
    [
        ("run", "bm25", "--set", "pass phrase=Hunter"),
        ("run", "bm25[auth=Hunter]", *_SMALL),
        ("run", "json:loads[auth=Hunter]", *_SMALL),
        ("run", "bm25", "auth=Hunter"),
        ("run", f"stdio:{sys.executable} x.py", *_SMALL, "--env", "GITHUB_PAT=Hunter"),
        ("run", "bm25", "--auth=Hunter"),
    ],
)
def test_a_refused_argument_is_repeated_without_its_secret(
    command: Command, words: tuple[str, ...]
) -> None:
    printed = command(*words)
    assert printed.startswith("mabench: ")
    assert "Hunter" not in printed


@pytest.mark.parametrize("part", ["?sig={}", "?a=1&code={}", "?jwt={}", "?{}", "#{}", "?other={}"])
def test_a_refused_address_of_a_model_is_repeated_without_its_query(
    command: Command, monkeypatch: pytest.MonkeyPatch, part: str
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    for told in ("Hunter", _KEY):
        url = f"http://127.0.0.1:9/v1{part.format(told)}"
        printed = command("run", "bm25", *_SMALL, "--model", "m", "--base-url", url)
        assert "is no address of a server" in printed
        assert told not in printed


@pytest.mark.parametrize("program", ["stdio:{} -p Hunter", "mcp:{} -p Hunter --key=Hunter"])
def test_a_password_of_a_program_stands_in_no_error(
    command: Command, tmp_path: Path, program: str
) -> None:
    for python in ("nosuch", sys.executable):
        line = program.format(f"{python} -c 1")
        printed = command("run", line, *_SMALL, "--out", "out")
        printed += command("check", line)
        assert "[secret]" in printed or "no program" in printed
        assert "Hunter" not in printed
    assert not (tmp_path / "out").exists() or "Hunter" not in "".join(
        file.read_text() for file in (tmp_path / "out").rglob("*.json")
    )


@pytest.mark.parametrize("name", ["GITHUB_PAT", "OPENAI_API_KEY_EU", "DATABASE_URL"])
def test_values_of_other_variables_stand_in_no_error(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    monkeypatch.setenv(name, f"postgres://me:{_KEY}@db/x" if name == "DATABASE_URL" else _KEY)
    body = f"""
    import os
    class Raising:
        def memorize(self, chunk): pass
        def answer(self, query):
            value = os.environ["{name}"]
            raise ValueError(value, value.rpartition("@")[0].rpartition(":")[2])
    """
    module(tmp_path, "raising", body)
    assert "[secret]" in command("run", "raising:Raising", *_SMALL, "--out", "out")


@pytest.mark.parametrize("written", ["--token={}", "--api-key {}", "API_KEY={}", "--password '{}'"])
def test_the_command_line_of_a_program(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, written: str
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    body = "import sys; sys.exit(f'{\"x\" * 285}{sys.argv} is no way to start')"
    module(tmp_path, "program", body)
    worker = Path(mabench.__file__).parent / "remote" / "worker.py"
    for file, said in ("program.py", "cannot be used"), (worker, ""):
        program = f"stdio:{sys.executable} {file} {written.format(_KEY)}"
        assert said in command("run", program, *_SMALL)


def test_a_url_with_a_password(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    url = f"http://me:{_KEY}@127.0.0.1:9/v1"
    printed = command("run", "bm25", *_SMALL, "--model", "m", "--base-url", url)
    assert "http://[secret]@127.0.0.1:9/v1: the URL of a model takes no user" in printed
    said = f"refused: {_KEY} and Basic {_LOGIN}"
    with serving_memories(lambda path, body: (403, {"error": said})) as memories:
        url = memories.url.replace("//", f"//me:{_KEY}@")
        printed = command("run", url, *_SMALL)
        command("run", f"{url}/?api_key={_KEY}", *_SMALL)
    assert "refused: [secret]" in printed


def test_a_defect_of_ours(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError(f"\x1b[31m with {_KEY}")

    monkeypatch.setattr(mabench.runs, "run_repeatedly", fail)
    printed = command("run", "bm25", *_SMALL)
    assert "Traceback" in printed
    assert "RuntimeError: \N{REPLACEMENT CHARACTER}[31m with [secret]" in printed


def test_no_cut_leaves_a_piece(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wherever a message is cut, by us or by whoever sent it, no piece of a key is left."""
    monkeypatch.setenv("SOME_SECRET", _KEY)
    texts = ["x" * (300 - length) + _KEY for length in range(40)]
    said = iter(texts)

    def refused(_: str) -> Fault:
        message = f"{next(said)} was refused"
        return Fault("400", body=json.dumps({"error": {"message": message}}))

    async def ask(url: str) -> None:
        opened = ReadingModel.open(ModelSpec("m", base_url=url, cache=False))
        for number in range(40):
            with pytest.raises(ModelError) as raised:
                await opened.reply(f"{number}", 10)
            assert leaks(str(raised.value)) == []
        await opened.close()

    with serving(refused) as served:
        asyncio.run(ask(served.url))
    kinds = ((500, str), (500, lambda text: {"error": text}), (200, lambda text: {"kind": text}))
    replies: list[tuple[int, object]] = [(n, of(text)) for text in texts[:21] for n, of in kinds]
    waiting = iter(replies)
    with serving_memories(lambda path, body: next(waiting)) as memories:
        for _ in replies:
            with pytest.raises(UsageError) as raised:
                http_factory(memories.url)()
            assert leaks(str(raised.value)) == []
    for length in range(_LEAST, len(_KEY)):
        assert leaks(redact(f"key {_KEY[:length]}")) == []
        assert leaks(redact(f"{_KEY[-length:]} is the key")) == []


_NAMES = (
    "DB_PASSWORD hf_token MY_SECRET_2 OPENAI_API_KEY OPENAI_API_KEY_PROD PGPASSWORD GROQ_APIKEY "
    "MYSQL_PWD AWS_CREDENTIALS SECRET_KEY_BASE KEY"
)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *((name, 'p"ä ss/wörd') for name in _NAMES.split()),
        # Secrets without digits, and digits alone.
        *(("PGPASSWORD", one) for one in ("qwertyuiopasdfgh", "QwErTyUi", "19283746", "two words")),
    ],
)
def test_values_of_the_environment(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    monkeypatch.setenv(name, value)
    assert redact_values(f"it is {value}!") == "it is [secret]!"
    assert redact(f"it is {value!r}") == "it is '[secret]'"
    assert redact(json.dumps({"a": value})) == '{"a": "[secret]"}'
    assert redact(f"http://h/{quote(value, safe='')}") == "http://h/[secret]"


@pytest.mark.parametrize(
    ("login", "stored"),
    [("administrator", "administrator"), ("administrator:123456789", "it is [secret]")],
)
def test_users_of_urls_are_no_secrets(
    monkeypatch: pytest.MonkeyPatch, login: str, stored: str
) -> None:
    monkeypatch.setattr("mabench.redact.known._noted", set())
    note_secrets(f"http://{login}@127.0.0.1/v1")
    assert stored in redact_values(f"it is {login.rpartition(':')[2]}")
    assert redact_values("the administrator") == "the administrator"


# A name that is no secret's, or a word that anybody may say.
_OTHERS = ["KEYCLOAK_USER", "MONKEY", "TOKENIZER", "TOKEN_LIMIT", "PASSWORDLESS", "SECRETARY"]
_WORDS = ["administrator", "Administrator", "ADMINISTRATOR"]
_GOLDS = [*_WORDS, "St. John's 2nd", "Zq7vT2mXw9LrB4nK"]
_HARMLESS = st.one_of(
    st.tuples(st.sampled_from(_OTHERS), st.sampled_from(_GOLDS)),
    st.tuples(st.sampled_from(["DB_PASSWORD", "OPENAI_API_KEY"]), st.sampled_from(_WORDS)),
)


def _say(agent: object, query: Query) -> dict[str, object]:
    """Say what is asked about."""
    gold = query.question.rpartition(" is ")[2].strip("?")
    return {"text": gold, "retrieved": [f"Somebody heard of {gold}."]}


def _samples_under(environment: dict[str, str], folder: Path) -> list[Sample]:
    asked = [(f"Is it true that it is {gold}?", [gold]) for gold in _GOLDS]
    rows = dataset([row("ruler_qa1_197K", "Nothing.", asked)])
    with pytest.MonkeyPatch.context() as patch:
        for name, value in environment.items():
            patch.setenv(name, value)
        return list(mabench.run(like(Oslo, answer=_say), rows, out=folder).samples())


@settings(max_examples=8)
@given(st.lists(_HARMLESS, min_size=1, max_size=4).map(dict))
def test_no_sample_depends_on_the_environment(environment: dict[str, str]) -> None:
    with TemporaryDirectory() as folder:
        plain = _samples_under({}, Path(folder, "plain"))
        assert _samples_under(environment, Path(folder, "other")) == plain
    assert {sample.verdict for sample in plain} == {"right"}


def test_a_secret_is_scored_as_said_and_stored_without_it(command: Command, tmp_path: Path) -> None:
    """Scoring again keeps the score of what is no longer there to be scored, and says so."""
    names = {"SOME_SECRET": "Zq7vT2mXw9LrB4nK", "DB_PASSWORD": "St. John's 2nd"}
    samples = _samples_under(names, tmp_path / "run")
    assert [sample.prediction for sample in samples[3:]] == ["[secret]", "[secret]"]
    assert {sample.verdict for sample in samples} == {"right"}
    for _ in range(2):
        said = command("score", "run")
        assert "100.0" in said
        assert "Secrets were removed from 2 answers" in " ".join(said.split())
    assert Run(Path("run")).summary.sources["ruler_qa1_197K"].redacted == 2
    assert [*Run(Path("run")).samples()] == samples


@pytest.mark.parametrize(
    "text",
    [
        "max_tokens=20 of 300 tokens, k=3",
        "sorted(items, key=len)",
        "The secret of the key is a token.",
        "see http://127.0.0.1:8000/v1/models",
        "basic knowledge; the bearer was late",
        "agent[token=[secret],k=3]",
        "without HF_HUB_OFFLINE to fill it",
    ],
)
def test_ordinary_text_stays_and_a_bearer_ends_before_the_semicolon_of_a_sentence(
    text: str,
) -> None:
    assert redact(text) == redact_values(text) == text
    assert redact("hf_abcdefghijklmnop123") == "[secret]"
    for token in ("abcdefgh1234", "abc;defgh1234"):
        assert redact(f"{text} Bearer {token}; check it") == f"{text} Bearer [secret]; check it"
