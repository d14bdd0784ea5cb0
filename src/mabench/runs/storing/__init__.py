"""Storing what comes of rows, and stopping the run at one failure or dollar too many."""
