"""One-file pages: runs, a sweep or a data set as HTML that opens without a server or network.

``questions`` gathers what is shown of each question, ``sections`` and ``pages`` say what is told,
``charts`` draws, ``document`` puts it into the shell, and ``data_pages`` does all for a data set.
"""
