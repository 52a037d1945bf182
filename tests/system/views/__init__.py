"""Every page in every state worth a picture, by what it is about; each name is that of its pictures, too."""

from __future__ import annotations

from tests.system.views import acts, dead_letters, floor, jobs, lens, people, tenants, trouble
from tests.system.views.view import View

CHAPTERS = {
    "What needs a person, and what moves": floor.VIEWS,
    "Jobs": jobs.VIEWS,
    "Dead letters": dead_letters.VIEWS,
    "What was done": acts.VIEWS,
    "Tenants": tenants.VIEWS,
    "In the lens of one tenant": lens.VIEWS,
    "Who may come in": people.VIEWS,
    "Who is not served": trouble.VIEWS,
}
VIEWS = {name: view for views in CHAPTERS.values() for name, view in views.items()}

__all__ = ("CHAPTERS", "VIEWS", "View")
