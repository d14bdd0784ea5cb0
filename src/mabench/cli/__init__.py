"""The command line: one module per verb, no logic of its own."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command that the arguments name; exit codes: 0 done, 1 problems, 2 wrong usage."""
    from mabench.cli.app import app
    from mabench.cli.flags import shown
    from mabench.errors import MabenchError
    from mabench.redact import redact

    try:
        app()
    except MabenchError as error:
        print(f"mabench: {redact(shown(error))}", file=sys.stderr)
        sys.exit(error.exit_code)
