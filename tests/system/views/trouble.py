"""What somebody sees who is not served."""

from __future__ import annotations

from tests.system.views.view import View

VIEWS = {
    "error": View("/nothing-here", "An address that nothing has.", complains=" 404 "),
}
