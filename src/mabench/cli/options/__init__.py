"""Makes the options of commands from settings and ``commands.toml``, and reads their values."""

from typing import TYPE_CHECKING

from mabench.facades import load_when_used

if TYPE_CHECKING:
    from mabench.cli.options.command_texts import COMMAND_TEXTS as COMMAND_TEXTS
    from mabench.cli.options.commands import COMMANDS as COMMANDS
    from mabench.cli.options.commands import GROUPS as GROUPS
    from mabench.cli.options.commands import command as command
    from mabench.cli.options.declaring import option as option
    from mabench.cli.options.values import read_amount as read_amount
    from mabench.cli.options.values import read_choice as read_choice
    from mabench.cli.options.values import read_duration as read_duration
    from mabench.cli.options.values import read_pairs as read_pairs
    from mabench.cli.options.values import read_settings as read_settings
else:
    __getattr__, __dir__, __all__ = load_when_used(__name__, __file__)
