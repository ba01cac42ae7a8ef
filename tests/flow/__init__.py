"""Tools for tests of information flow: blind mechanisms, watched fits, every way to fit, people who differ in private."""
