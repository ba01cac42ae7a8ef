"""What all methods share: the problem they are given, the rows they return, and work they have in common."""
