"""Write the table of promises anew: `python -m tests.conformance`."""

from tests.conformance.table import README, markdown

README.write_text(markdown())
