"""Reports of what runs took or will take: model calls, money, time and storage."""
