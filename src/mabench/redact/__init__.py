"""Keeps secrets out of everything that is stored or shown.

Only this package decides what a secret is: ``names`` by the name of a value, ``shapes`` by its look
in a text, ``known`` by the value itself, and ``commands`` by its place in a command line.

Redact a text before it is cut: a half of a key is no longer recognized.
"""

from typing import TYPE_CHECKING

from mabench.facades import load_when_used

if TYPE_CHECKING:
    from mabench.redact.commands import redact_agent as redact_agent
    from mabench.redact.commands import redact_command as redact_command
    from mabench.redact.commands import redact_line as redact_line
    from mabench.redact.commands import redact_words as redact_words
    from mabench.redact.known import redact_values as redact_values
    from mabench.redact.names import names_secret as names_secret
    from mabench.redact.streams import clean_streams as clean_streams
    from mabench.redact.streams import redact_stream as redact_stream
    from mabench.redact.streams import redact_streams as redact_streams
    from mabench.redact.texts import note_secrets as note_secrets
    from mabench.redact.texts import redact as redact
    from mabench.redact.texts import redact_setting as redact_setting
    from mabench.redact.texts import redact_url as redact_url
else:
    __getattr__, __dir__, __all__ = load_when_used(__name__, __file__)
