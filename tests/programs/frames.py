"""Messages over a pipe: four bytes of length, then the bytes."""

from __future__ import annotations

import struct
from typing import BinaryIO


def write(pipe: BinaryIO, *messages: bytes) -> None:
    """Send messages, and flush."""
    for message in messages:
        pipe.write(struct.pack(">I", len(message)) + message)
    pipe.flush()


def read(pipe: BinaryIO) -> bytes:
    """Receive one message."""
    (size,) = struct.unpack(">I", pipe.read(4))
    return pipe.read(size)
