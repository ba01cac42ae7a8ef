"""What private features add to a public prediction: evidence from pair reports, weighed function by function."""
