"""Command lines of programs that agents and servers are, and of mabench itself."""

import shlex

import pytest

from mabench.redact import redact_agent, redact_command

_PROGRAMS = [
    "node agent.js -p {}",
    "mysql -u root -p{}",
    "sshpass -p {} node agent.js",
    "node agent.js --token={}",
    "node agent.js --passphrase {}",
    "java -password {} Agent",
    "env GITHUB_PAT={} node agent.js",
    "TOKEN={} node agent.js",
    "node agent.js --db postgres://me:{}@host/db",
    "curl -u me:{} http://host",
    "node agent.js --header 'X-Auth-Token: {}'",
    "curl -H X-Auth-Token:{} http://host",
    "sh -c 'API_KEY={} node agent.js --quiet'",
    "sh -c 'node agent.js -p {}'",
    "docker run -e DB_PASSWORD={} image",
    "node agent.js --url 'http://host/x?anything={}'",
]
# Ordinary words, too: it is where they stand that makes them secrets.
_SECRETS = ["SECRET", "Hunter", "hunter2", "c0rrect.horse+Battery", "Zq7vT2mXw9LrB4nKd8Hs"]


@pytest.mark.parametrize("prefix", ["stdio:", "mcp:", "mcp: "])
@pytest.mark.parametrize("program", _PROGRAMS)
def test_an_agents_name_has_no_secret(prefix: str, program: str) -> None:
    expected = program.replace("//me:{}@", "//[secret]@").replace("{}", "[secret]")
    for value in _SECRETS:
        assert redact_agent(prefix + program.format(value)) == prefix + expected


@pytest.mark.parametrize(
    "name",
    [
        "bm25",
        "hf_embedder_memory:Memory",
        "stdio:node 'my agent.js' --port 8080",
        "stdio:node agent.js -p 8080 -port 80 --env-file .env",
        "docker run -p 8080:80 image",
        "mcp:uvx basic-memory mcp --project sk-learn-2026",
        "http://127.0.0.1:8000/agent",
        "stdio:'unclosed",
    ],
)
def test_what_keeps_nothing_secret_is_named_as_it_was(name: str) -> None:
    assert redact_agent(name) == name


def test_a_server_is_named_without_its_user_and_its_query() -> None:
    assert redact_agent("mcp:https://me:pw@h/mcp?profile=x&code=y#z") == (
        "mcp:https://[secret]@h/mcp?profile=[secret]&code=[secret]#[secret]"
    )


def test_a_command_of_ours_stays_pasteable() -> None:
    words = ["mabench", "run", "stdio:node a.js -p abc", "--set", "passphrase=correct horse"]
    words += ["bm25[api_key=abc,k=3]", "--base-url", "http://h/v1?jwt=abc", "--out", "my run"]
    safe = redact_command(words)
    assert [*shlex.split(safe)] == [
        *("mabench", "run", "stdio:node a.js -p [secret]", "--set", "passphrase=[secret]"),
        *("bm25[api_key=[secret],k=3]", "--base-url", "http://h/v1?jwt=[secret]"),
        *("--out", "my run"),
    ]
    plain = ["mabench", "run", "--out", "runs/hf-baselines", "--knob", "tokens=6k,32k"]
    assert redact_command(plain) == " ".join(plain)
