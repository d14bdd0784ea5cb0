"""One-file pages: runs, a sweep or a data set as HTML that opens without a server or network.

``run_pages``, ``pages`` (of several) and ``data_pages`` say what is told, ``charts`` draws, and
``document`` puts it into the shell, with the questions of runs.
"""
