"""A language model on this machine: its file, what its replies depend on, and its own server."""

from typing import TYPE_CHECKING

from mabench.facades import load_when_used

if TYPE_CHECKING:
    from mabench.models.local.model import LocalModel as LocalModel
    from mabench.models.local.model import find_window as find_window
    from mabench.models.local.model import name_judge as name_judge
    from mabench.models.local.sharing import ServerAddress as ServerAddress
    from mabench.models.local.sharing import adopt_servers as adopt_servers
    from mabench.models.local.sharing import serve as serve
    from mabench.models.local.sharing import share_servers as share_servers
else:
    __getattr__, __dir__, __all__ = load_when_used(__name__, __file__)
