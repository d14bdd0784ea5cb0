"""Calibrations: which share of each kind of answers a judge passes, measured on made-up answers."""
