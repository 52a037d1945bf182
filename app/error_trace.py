"""A stored error as it is read: whose line each frame is, and the one to look at first."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Literal

_FRAME = re.compile(r"(?P<path>\S.*):\d+ in .+")
_LIBRARY = re.compile(r"(?:site|dist)-packages/|python3(?:\.\d+)?/|<")


@dataclass(frozen=True, slots=True)
class Piece:
    """Some lines: a frame of the handler's own code or of a library, the useful one of the former, or what was said."""

    kind: Literal["own", "library", "useful", "said"]
    text: str


def of(detail: str) -> list[Piece]:
    """The pieces in order: the last is what the error says, the useful one the last frame that is no library's."""
    *lines, said = detail.rstrip().split("\n")
    pieces: list[Piece] = []
    for line in lines:
        if found := _FRAME.fullmatch(line):
            pieces.append(Piece("library" if _LIBRARY.match(found["path"]) else "own", line))
        elif pieces:
            pieces[-1] = replace(pieces[-1], text=f"{pieces[-1].text}\n{line}")
        else:
            pieces.append(Piece("library", line))
    for place in reversed(range(len(pieces))):
        if pieces[place].kind == "own":
            pieces[place] = replace(pieces[place], kind="useful")
            break
    return [*pieces, Piece("said", said)]
