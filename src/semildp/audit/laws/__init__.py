"""What mechanisms state: their outputs, how likely each is, and where that tells most."""
