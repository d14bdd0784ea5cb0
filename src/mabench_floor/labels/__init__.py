"""Learning a task from demonstrations: labelled texts, and a classifier learnt from them."""
