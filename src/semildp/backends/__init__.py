"""Where totals are folded over chunks of people."""

from semildp.backends.serial import CHUNK, chunks, fold

__all__ = ["CHUNK", "chunks", "fold"]
