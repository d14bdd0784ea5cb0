"""Which names say that a value is secret."""

import pytest

from mabench.redact import names_secret, redact_setting

_SECRET = (
    "api_key apiKey APIKey API_KEY_2 OPENAI_API_KEY_EU key token hf_token GITHUB_TOKEN_LIVE secret "
    "client_secret SECRET_KEY_BASE password passwd pwd passphrase passcode PGPASSWORD DB_PASS "
    "MYSQL_PWD auth authorization x-auth-token X-Api-Key bearer bearer_token cookie session_cookie "
    "pat GITHUB_PAT GITHUB_PAT_EU webhook webhook_url SLACK_WEBHOOK session session_id credential "
    "credentials AWS_CREDENTIALS private_key signature sig sas dsn SENTRY_DSN connection_string "
    "pass_phrase pass-code connectionstring accesskey sessionid ssh_key license_key pin "
    "connectionString CONN_STR jwt oauth_token subscription-key GROQ_APIKEY accessToken authtoken"
)
_OTHER = (
    "k depth max_tokens num_keys tokens_per_minute token_limit TOKEN_LIMIT TOKENIZER tokenizer "
    "TOKENIZERS_PARALLELISM KEYCLOAK_USER MONKEY monkey keyword SECRETARY PASSWORDLESS author "
    "PASSWORD_FILE api_key_env key_field sort_key primary_key memory_key cache_key auth_method "
    "auth_url SSH_AUTH_SOCK pattern path passage pass_through compass session_timeout model name "
    "PWD OLDPWD signature_algorithm cookie_domain secret_name recipe chunk_tokens"
)


@pytest.mark.parametrize("name", _SECRET.split())
def test_a_name_says_that_its_value_is_secret(name: str) -> None:
    assert names_secret(name)
    assert redact_setting(name, "hunter2") == f"{name}=[secret]"
    assert redact_setting(name, 1234) == f"{name}=[secret]"
    assert redact_setting(name, {"user": "a", "other": "b"}) == f"{name}=[secret]"


@pytest.mark.parametrize("name", _OTHER.split())
def test_a_name_says_nothing_of_the_kind(name: str) -> None:
    assert not names_secret(name)
    assert redact_setting(name, "hunter2") == f"{name}=hunter2"


@pytest.mark.parametrize(
    "setting",
    [("auth", True), ("token", None), ("tokens", "6k,32k"), ("tokens", 6000), ("api_key", "none")],
)
def test_a_switch_or_a_count_is_no_secret(setting: tuple[str, object]) -> None:
    name, value = setting
    assert redact_setting(name, value) == f"{name}={value}"


def test_secrets_within_a_setting_are_hidden() -> None:
    headers = {"Authorization": "Bearer qwerty", "Accept": "text/plain"}
    assert redact_setting("headers", headers) == (
        "headers={'Authorization': '[secret]', 'Accept': 'text/plain'}"
    )
    assert redact_setting("url", "https://u:p@h/x?v=1") == "url=https://[secret]@h/x?v=[secret]"
