"""Serving the pages of runs on this machine while runs go on: `mabench view`.

It must never serve to another machine, to a page of another site, or without the token of its
address, and never anything but the pages of the runs beneath its folder.
"""

from typing import TYPE_CHECKING

from mabench.facades import load_when_used

if TYPE_CHECKING:
    from mabench.viewing.contents import ViewedFolder as ViewedFolder
    from mabench.viewing.server import ViewServer as ViewServer
else:
    __getattr__, __dir__, __all__ = load_when_used(__name__, __file__)
