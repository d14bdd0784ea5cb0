"""Imports that two threads may not make at the same time."""

from __future__ import annotations

import threading

# Python locks every module by itself. Two threads that import parts of a large package (nltk,
# scikit-learn) in different orders wait for each other, and one of the imports fails.
import_lock = threading.RLock()
