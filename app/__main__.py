"""`python -m app` is `watchfloor`."""

from app.cli import main

if __name__ == "__main__":
    main(prog_name="watchfloor")
