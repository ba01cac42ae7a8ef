"""Where totals are folded over parts of people: this process, its threads, or a Dask cluster."""

from semildp.backends.base import Backend, Part, nothing, tally_part
from semildp.backends.serial import CHUNK, Serial, chunks, fold
from semildp.backends.threads import Threads

__all__ = ["CHUNK", "Backend", "Part", "Serial", "Threads", "chunks", "fold", "nothing", "tally_part"]
