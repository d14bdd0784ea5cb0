"""Questions about documents and chats: search over sentences, and spans of the wanted type."""
