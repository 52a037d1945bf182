"""What somebody sees who is not served."""

from __future__ import annotations

from tests.system.seed.dead import DEAD_JOB
from tests.system.views.view import View

VIEWS = {
    "error": View("/nothing-here", "An address that nothing has.", complains=" 404 "),
    "viewer-dead-letters": View("/dead-letters", "A viewer sees the buttons off, and why.", visitor="max"),
    "viewer-job": View(f"/jobs/{DEAD_JOB}", "A viewer looks at a job, and changes nothing.", visitor="max"),
    "forbidden": View("/operators", "A page for admins alone.", visitor="max", complains=" 403 "),
}
