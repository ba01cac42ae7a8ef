"""What travels between people and curator: fields, bytes, refusals."""
