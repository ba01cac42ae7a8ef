"""Messages and answers as files that every implementation can be checked against; see README.md."""
