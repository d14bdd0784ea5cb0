from __future__ import annotations

import sys
from pathlib import Path

import pytest

import mabench
from mabench.errors import MissingPackageError, UsageError
from tests.rows import dataset


def test_without_ray_the_error_names_the_extra(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(MissingPackageError, match=r"pip install 'mabench\[ray\]'"):
        mabench.run("bm25", dataset(), out=tmp_path / "run", executor="ray")


def test_an_unknown_executor_is_named(tmp_path: Path) -> None:
    with pytest.raises(
        UsageError, match="no executor is named 'dask'; there are local, processes, ray"
    ):
        mabench.run("bm25", dataset(), out=tmp_path / "run", executor="dask")
