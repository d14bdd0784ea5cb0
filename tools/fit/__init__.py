"""Programs that fit the numbers of the floor (``make fit``)."""
