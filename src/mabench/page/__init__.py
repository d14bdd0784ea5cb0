"""Pages: runs, a sweep, a race or a data set as one HTML file that needs no server or network.

``run_pages``, ``pages`` (several runs) and ``data_pages`` decide what a page says, ``charts``
draws, and ``document`` assembles the file. A page escapes every text and never fetches anything.
"""
