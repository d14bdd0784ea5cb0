"""Reports on what runs took or will take: calls of language models, money, time and storage."""
