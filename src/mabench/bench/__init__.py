"""The bench on which ``check`` and ``stress`` test agents and memories: what both need.

``facts`` and ``versioned_facts`` invent what is told, ``subject`` makes and closes instances of
what is tested, and ``clock`` limits how long calls and tests take. The bench must never judge: what
counts as a fault is for ``check`` and ``stress`` to say.
"""
