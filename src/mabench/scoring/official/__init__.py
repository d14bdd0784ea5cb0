"""The published scorer's figures, its quirks included, so that scores compare with the paper's."""
