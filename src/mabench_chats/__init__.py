"""Exports of chats, as programs write them: each shape has a module, which reads and sends nothing.

They register as entry points of the group ``mabench.formats``, as anybody else's can.
"""
