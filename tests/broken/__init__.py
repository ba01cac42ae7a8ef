"""Mechanisms and clients that are wrong on purpose, one fault per file; `build()` returns what is to be audited.

Clients come without stated parts, but for one whose parts are right: they must be caught from outside.
"""
