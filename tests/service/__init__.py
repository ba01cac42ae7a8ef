"""The collection service, over real HTTP, on SQLite and on PostgreSQL."""
