"""Runs a fixed list of commands with the code of a checkout, and compares two such recordings.

Use it to see what a change does to what users see::

    python -m tools.recording record --python ../old/.venv/bin/python --out old.json
    python -m tools.recording record --python .venv/bin/python --out new.json
    python -m tools.recording diff old.json new.json
"""
