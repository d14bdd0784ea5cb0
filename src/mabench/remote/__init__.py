"""Agents and memories in other processes and on servers.

``Remote`` stands for an agent or a memory elsewhere; it calls it through a ``Channel``, of which
there is one for each transport: HTTP, MCP, and the standard streams of a program. What comes from
the other side is bounded, and nothing that is started here may outlive the run.
"""
