"""Prints results, messages and progress, and writes command lines for users to paste.

Results go to standard output, everything else to standard error.
"""

from typing import TYPE_CHECKING

from mabench.facades import load_when_used

if TYPE_CHECKING:
    from mabench.cli.console.command_lines import after_a_miss as after_a_miss
    from mabench.cli.console.command_lines import again as again
    from mabench.cli.console.command_lines import command_line as command_line
    from mabench.cli.console.command_lines import to_resume as to_resume
    from mabench.cli.console.option_names import in_options as in_options
    from mabench.cli.console.printing import messages as messages
    from mabench.cli.console.printing import output as output
    from mabench.cli.console.printing import print_line as print_line
    from mabench.cli.console.printing import print_next as print_next
    from mabench.cli.console.printing import print_report as print_report
    from mabench.cli.console.printing import print_tables as print_tables
    from mabench.cli.console.printing import print_written as print_written
    from mabench.cli.console.printing import write_page as write_page
    from mabench.cli.console.progress_bars import ProgressBars as ProgressBars
    from mabench.cli.console.streams import results_alone as results_alone
else:
    __getattr__, __dir__, __all__ = load_when_used(__name__, __file__)
