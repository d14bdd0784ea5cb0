"""Secrets that are known by their values, whatever their form: of variables, and those shown."""

import base64
from urllib.parse import quote

import pytest

from mabench.redact import note_secrets, redact, redact_setting, redact_values

_FORMLESS = ["correct horse battery", "qwertyuiopasdfgh", 'p"ä ss/wörd', "QwErTyUi", "hunter2"]


@pytest.mark.parametrize("value", _FORMLESS)
@pytest.mark.parametrize(
    "name",
    ["GITHUB_PAT", "OPENAI_API_KEY_EU", "DATABASE_PASSPHRASE", "SLACK_WEBHOOK_URL", "SENTRY_DSN"],
)
def test_the_value_of_a_variable_is_hidden(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    monkeypatch.setenv(name, value)
    assert redact_values(f"it is {value}!") == "it is [secret]!"
    assert redact(f"refused {value!r} at /{quote(value, safe='')}") == (
        "refused '[secret]' at /[secret]"
    )


@pytest.mark.parametrize("name", ["DATABASE_URL", "REDIS_URI", "HTTPS_PROXY", "UPSTREAM"])
def test_the_password_of_a_url_is_hidden_with_it_and_alone(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv(name, "postgres://admin:S3cr%2Ft-pw@db.internal:5432/prod")
    login = base64.b64encode(b"admin:S3cr/t-pw").decode()
    for said in ("S3cr/t-pw", "S3cr%2Ft-pw", "admin:S3cr/t-pw", login):
        assert (
            redact_values(f"refused {said}, at db.internal") == "refused [secret], at db.internal"
        )
    assert redact_values("postgres://admin:S3cr%2Ft-pw@db.internal:5432/prod") == "[secret]"


def test_parts_of_a_connection_string_are_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STORE_CONNECTION_STRING", "Server=db;User Id=me;Password=qwerty_12;")
    assert redact_values("login with qwerty_12 failed") == "login with [secret] failed"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("PWD", "/home/somebody/project"),
        ("OLDPWD", "/home/somebody/project"),
        ("DATABASE_URL", "postgres://localhost:5432/production"),
        ("PASSWORD_FILE", "/run/secrets/database"),
        ("GOOGLE_APPLICATION_CREDENTIALS", __file__),
        ("API_KEY", "password"),
        ("API_KEY", "a1b2c"),
        ("SERVICE_URL", "http://administrator@127.0.0.1/v1"),
    ],
)
def test_what_is_no_secret_is_not_blanked(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    monkeypatch.setenv(name, value)
    assert redact_values(f"it is {value}!") == f"it is {value}!"


def test_what_a_setting_or_a_url_showed_is_known_from_then_on() -> None:
    redact_setting("auth", {"password": "horse_staple"})
    note_secrets("https://h/v1?sig=ab%2Bcd%2Bef%2Bgh")
    assert redact_values("horse_staple, ab+cd+ef+gh") == "[secret], [secret]"
