"""What a wheel holds, and that the service works from it as it does from a checkout."""

import os
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hatchling.build import build_wheel
from shutbox.shipped import shipped

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("wheel")
    before = Path.cwd()
    os.chdir(ROOT)
    try:
        yield folder / build_wheel(str(folder))
    finally:
        os.chdir(before)


def test_a_checkout_reads_the_files_of_its_top_level() -> None:
    assert shipped("openapi.yaml") == ROOT / "openapi.yaml"
    assert shipped("gunicorn.conf.py") == ROOT / "deploy/gunicorn.conf.py"


def test_a_wheel_holds_all_that_is_served(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    for folder in ("static", "templates", "offline"):
        for file in (ROOT / "client/shutbox_web" / folder).rglob("*"):
            if file.is_file():
                assert str(file.relative_to(ROOT / "client")) in names
    assert {"shutbox/files/openapi.yaml", "shutbox/files/gunicorn.conf.py"} <= names
    assert any(name.startswith("shutbox/store/migrations/versions/0001") for name in names)
    assert {"shutbox/py.typed", "shutbox_client/py.typed"} <= names


def test_the_service_reads_its_files_from_the_wheel(wheel: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(wheel) as packed:
        packed.extractall(tmp_path)
    asked = (
        "import shutbox, shutbox.shipped as s, shutbox_web;"
        "print(shutbox.__file__); print(s.shipped('openapi.yaml')); print(s.shipped('gunicorn.conf.py'));"
        "print(shutbox_web.STATIC_DIR)"
    )
    told = subprocess.run(
        [sys.executable, "-c", asked],
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines()
    assert all(line.startswith(str(tmp_path)) for line in told), told
    assert Path(told[1]).read_bytes() == (ROOT / "openapi.yaml").read_bytes()
