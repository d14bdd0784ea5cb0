"""Fixtures that every test folder shares."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

# The machines are noisy: an example may be slow without being wrong.
settings.register_profile("patient", settings(), deadline=None)
settings.load_profile("patient")

_BESIDE = Path(__file__).resolve().parents[2] / "shared" / "data"


@pytest.fixture(scope="session")
def real_data() -> Path:
    """The folder with real rows, or a skip that says where it was looked for."""
    folder = Path(os.environ.get("MABENCH_REAL_DATA", _BESIDE))
    if not folder.is_dir():
        pytest.skip(f"no real rows at {folder} (set MABENCH_REAL_DATA)")
    return folder


@pytest.fixture(scope="session")
def parity(real_data: Path) -> Path:
    """The folder with what the published code computes, or a skip."""
    folder = real_data.parent / "parity"
    if not folder.is_dir():
        pytest.skip(f"no parity files at {folder}")
    return folder
