"""`mabench view`: serves the pages of runs to a browser on this machine.

The parameters of the command are its options, which ``commands.toml`` describes.
"""

from __future__ import annotations

from pathlib import Path

from mabench.cli import console as con
from mabench.cli import options as opt
from mabench.errors import UsageError

_HIGHEST_PORT = 65535


@opt.command("view")
def _view(folder: Path | None = None, port: int = 0, open_page: bool = False) -> None:
    """Serve the pages of the runs in a folder until Ctrl-C; port 0 takes any free port."""
    from mabench.page.document import require_packages
    from mabench.viewing import ViewedFolder, ViewServer

    place = folder or Path("runs")
    if not place.is_dir():
        raise UsageError(f"{place} is no folder; `mabench run` makes runs, or name another folder")
    if not 0 <= port <= _HIGHEST_PORT:
        raise UsageError(f"--port must be between 0 and {_HIGHEST_PORT}, not {port}")
    require_packages()
    with ViewServer(ViewedFolder(place), port) as server:
        con.print_line(server.address)
        con.messages().print("Serving on this machine alone; Ctrl-C ends it.")
        if open_page:
            import webbrowser

            webbrowser.open(server.address)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            con.messages().print("Ended.")
