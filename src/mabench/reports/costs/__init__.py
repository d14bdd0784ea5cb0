"""What runs took and will take: calls of models, money, time, and storage of memories."""
