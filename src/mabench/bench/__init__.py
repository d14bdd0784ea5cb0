"""The bench on which ``check`` and ``stress`` test agents and memories: what both need.

It must never judge: what counts as a fault is for ``check`` and ``stress`` to say.
"""
