"""Bad values, the table of public names they are thrown at, and what may come of it."""
