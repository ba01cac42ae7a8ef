"""Checking the guarantee oneself: exactly, in samples, and from outside."""
