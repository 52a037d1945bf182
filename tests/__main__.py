"""Everything that must hold before a change lands: `python -m tests`; further arguments go to pytest."""

import os
import subprocess
import sys
import sysconfig
from concurrent.futures import ThreadPoolExecutor

from tests import bouncer, browser

PROGRAMS = {"browser": browser, "pgbouncer": bouncer}
CHECKS = {
    "format": "ruff format --check .",
    "lint": "ruff check .",
    "imports": "lint-imports --no-logo",
    "templates": "djlint --lint --quiet templates",
}


def main(arguments: list[str]) -> int:
    """Run every step whichever fails; the tests come last, so that their summary ends the output.

    The tests share the machine's two cores, in two processes that have nothing in common; a debugger wants `-n 0`. The
    types are looked at meanwhile, and speak up only if something is wrong.
    """
    os.environ["PATH"] = os.pathsep.join((sysconfig.get_path("scripts"), os.environ["PATH"]))
    with ThreadPoolExecutor(1) as beside:
        types = beside.submit(subprocess.run, ["mypy"], capture_output=True, text=True, check=False)
        announce("programs")
        failed = [name for name, program in PROGRAMS.items() if not program.provide()]
        failed += [name for name, command in CHECKS.items() if not passes(name, command.split())]
        if not passes("tests", ["pytest", "-n", "2", *arguments]):
            failed.append("tests")
    if types.result().returncode:
        announce("types")
        print(types.result().stdout, types.result().stderr)
        failed.append("types")
    if failed:
        print(f"\nFailed: {', '.join(failed)}")
    return 1 if failed else 0


def passes(name: str, command: list[str]) -> bool:
    """Whether the step ended well; what it has to say goes to the terminal."""
    announce(name)
    return subprocess.run(command, check=False).returncode == 0


def announce(name: str) -> None:
    """Name the step before its own output."""
    print(f"\n=== {name}", flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
