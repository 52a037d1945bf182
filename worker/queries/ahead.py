"""Two hands: the next piece is made while the database is busy with the one before."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

Piece = TypeVar("Piece")
Made = TypeVar("Made")


def ahead(make: Callable[[Piece], Made], pieces: Sequence[Piece]) -> Iterator[Made]:
    """What `make` makes of each piece, in order, always one further than was asked for."""
    if len(pieces) < 2:
        yield from map(make, pieces)
        return
    with ThreadPoolExecutor(1) as hand:
        coming = hand.submit(make, pieces[0])
        for piece in pieces[1:]:
            ready, coming = coming.result(), hand.submit(make, piece)
            yield ready
        yield coming.result()
