"""The page on which one pages through all approved pictures: by what they are about, the looks side by side."""

from __future__ import annotations

from collections.abc import Iterator

from tests.system.looks import LOOKS
from tests.system.screenshots import APPROVED
from tests.system.views import CHAPTERS
from tests.system.walks import WALKS

PAGE = APPROVED / "README.md"
WIDTHS = {"light": 380, "dark": 380, "narrow": 160}
"""In the order in which they stand beside each other, and how wide each is drawn; one opens it for its full size."""

HEAD = """\
# The console in pictures

Every page in every state worth a look, in a light and a dark room and on a phone; then what people do, step by step.
The tests take these pictures and hold the console to them; this page is written with them.
"""


def text() -> str:
    """The whole page."""
    return "\n".join([HEAD, *_contents(), *_chapters()])


def names() -> list[str]:
    """Of everything that there are pictures of."""
    return [name for sentences in said().values() for name in sentences]


def files() -> set[str]:
    """Of all pictures."""
    return {f"{name}-{look}.png" for name in names() for look in LOOKS}


def said() -> dict[str, dict[str, str]]:
    """By chapter: the sentence on each picture."""
    pages = {title: {name: view.says for name, view in views.items()} for title, views in CHAPTERS.items()}
    return pages | {walk.title: {step.name: step.says for step in walk.steps} for walk in WALKS}


def _contents() -> Iterator[str]:
    for title, sentences in said().items():
        yield f"- {title}: {', '.join(f'[{_title(name)}](#{name})' for name in sentences)}"
    yield ""


def _chapters() -> Iterator[str]:
    for title, sentences in said().items():
        yield f"## {title}\n"
        for name, sentence in sentences.items():
            pictures = (f'<img src="{name}-{look}.png" width="{width}">' for look, width in WIDTHS.items())
            yield f'### <a id="{name}"></a>{_title(name)}\n\n{sentence}\n\n{" ".join(pictures)}\n'


def _title(name: str) -> str:
    return name.replace("-", " ").capitalize()
