"""The skill for questions about documents and chats: finds sentences, and answers in them."""
