"""Variances of differences for simulations, as seen on ``synthetic:compare``."""

from mabench.uncertainty import Components

# Of bm25 with k = 10 and k = 3, and of floor and bm25.
VARIANCES = {
    # On ruler and eventqa.
    "low": Components(history=0.03**2, build=None, question=0.10, rest=0.0),
    # On detective.
    "medium": Components(history=0.10**2, build=None, question=0.16, rest=0.0),
    # On factconsolidation.
    "high": Components(history=0.17**2, build=None, question=0.20, rest=0.0),
}
