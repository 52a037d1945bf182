"""Write the table of promises anew: `python -m tests.conformance`."""

from tests.conformance.table import README, markdown

if __name__ == "__main__":
    README.write_text(markdown())
