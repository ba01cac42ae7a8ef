"""Tools for tests of information flow: blind mechanisms, watched fits, recorded words, every way to fit."""
