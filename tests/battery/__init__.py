"""A battery of checks for anything that meets the `Mechanism` contract."""
