"""Two programs that know nothing of each other but wire bytes: many devices, and a curator."""
