"""Where rows are run elsewhere, and how their results come back from there."""
