"""`mabench demo`: writes a page that shows what mabench reports, from runs in the package.

Nothing is run: the package has the answers of four agents on made-up histories.

The parameters of the command are its options, which ``commands.toml`` describes.
"""

from __future__ import annotations

import tempfile
import webbrowser
from pathlib import Path

from mabench.cli import console as con
from mabench.cli import options as opt
from mabench.outfile import check_writable


@opt.command("demo")
def _demo(out: Path = Path("mabench-demo.html"), open_page: bool = False) -> None:
    """Write a page of four agents that were run before."""
    from mabench.page.demo_pages import demo_page

    check_writable(out)
    with tempfile.TemporaryDirectory(prefix="mabench-demo-") as folder:
        con.write_page(out, demo_page(Path(folder)))
    con.messages().print(f"Next: {con.command_line('run', 'bm25', '--data', 'synthetic:start')}")
    if open_page:
        webbrowser.open(out.absolute().as_uri())
