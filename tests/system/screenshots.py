"""Approved screenshots: what a page shall look like, and a picture of the difference where it does not."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image, ImageChops

APPROVED = Path(__file__).parent / "screens"
OUTPUT = Path(__file__).parent / "output"

THRESHOLD = 25
"""A channel may differ by so much, of 255: anti-aliasing does, and the palette of an approved picture by up to 15."""

ALLOWED = 0.001
"""So many of the pixels may differ by more."""

EXACT = 64
"""Colours of an approved picture that stay what they are: those of the largest areas."""

CODE = np.array([1 << 16, 1 << 8, 1], dtype=np.uint32)
"""Makes one number of red, green and blue."""


def approve(name: str, taken: bytes) -> None:
    """Keep the picture as the approved one; the file stays as it is where nothing changed."""
    path, new = APPROVED / f"{name}.png", _opened(BytesIO(taken))
    if path.exists() and _share(_opened(path), new) == 0:
        return
    APPROVED.mkdir(exist_ok=True)
    _small(new).save(path, optimize=True)


def difference(name: str, taken: bytes) -> str | None:
    """How the picture differs from the approved one, in words; leaves both and the difference in the output folder."""
    for left in OUTPUT.glob(f"{name}.*"):
        left.unlink()
    path, new = APPROVED / f"{name}.png", _opened(BytesIO(taken))
    if not path.exists():
        return _complain(name, new, f"{name} was never approved: look at it, then run with --approve")
    old = _opened(path)
    if (share := _share(old, new)) <= ALLOWED:
        return None
    if old.size != new.size:
        return _complain(name, new, f"{name} is {new.size}, approved was {old.size}")
    _marked(new, _differing(old, new)).save(_output(f"{name}.difference.png"))
    return _complain(name, new, f"{name} differs in {share:.2%} of its pixels: see {OUTPUT.name}/{name}.difference.png")


def _opened(file: Path | BytesIO) -> Image.Image:
    return Image.open(file).convert("RGB")


def _share(old: Image.Image, new: Image.Image) -> float:
    """How much of the picture differs; all of it where the sizes do."""
    if old.size != new.size:
        return 1
    return _differing(old, new).histogram()[255] / (new.width * new.height)


def _small(image: Image.Image) -> Image.Image:
    """The picture in 256 colours, a third of the bytes: surfaces and ink as they are, soft edges nearly so."""
    found = [colour for _count, colour in sorted(image.getcolors(1 << 24) or [], reverse=True)]
    palette = [*found[:EXACT], *_few(found[EXACT:])]
    codes, places = np.unique(np.asarray(image, dtype=np.uint32) @ CODE, return_inverse=True)
    small = Image.frombytes("P", image.size, _nearest(codes, palette)[places.ravel()].tobytes())
    small.putpalette([part for colour in palette for part in colour])
    return small


def _few(colours: list[Any]) -> list[Any]:
    """As many as the palette has room for, chosen to be near to all of them."""
    if not colours:
        return []
    row = Image.new("RGB", (len(colours), 1))
    row.putdata(colours)
    fewer = row.quantize(256 - EXACT, method=Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)
    return [colour for _count, colour in fewer.convert("RGB").getcolors() or []]


def _nearest(codes: Any, palette: list[Any]) -> Any:
    """Where the palette has what comes closest to each."""
    known = np.array(palette, dtype=np.int32)
    colours = (codes[:, None] // CODE % 256).astype(np.int32)
    return np.array([((known - colour) ** 2).sum(axis=1).argmin() for colour in colours], dtype=np.uint8)


def _differing(old: Image.Image, new: Image.Image) -> Image.Image:
    """White where any channel differs by more than the threshold."""
    red, green, blue = ImageChops.difference(old, new).split()
    greatest = ImageChops.lighter(ImageChops.lighter(red, green), blue)
    return greatest.point([255 if value > THRESHOLD else 0 for value in range(256)])


def _marked(image: Image.Image, mask: Image.Image) -> Image.Image:
    """The picture, faded, with what differs in red."""
    faded = Image.blend(image, Image.new("RGB", image.size, "white"), 0.7)
    faded.paste(Image.new("RGB", image.size, "red"), mask=mask)
    return faded


def _complain(name: str, new: Image.Image, words: str) -> str:
    new.save(_output(f"{name}.png"))
    return words


def _output(name: str) -> Path:
    OUTPUT.mkdir(exist_ok=True)
    return OUTPUT / name
