"""Makes rows of LongMemEval: dated chats of one user."""
