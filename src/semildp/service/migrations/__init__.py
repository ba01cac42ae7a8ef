"""Migrations of the tables, in order; run when the server starts."""
