"""What is deployed, as far as it can be checked without a container engine."""

import os
import re
import runpy
import shlex
import subprocess
import sys
import tomllib
from fnmatch import fnmatch
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import click
import pytest
import yaml
from shutbox import cli
from shutbox.config import Settings
from shutbox.serve import prepare

TOP = Path(__file__).parents[1]
DEPLOY = TOP / "deploy"
PROJECT: dict[str, Any] = tomllib.loads((TOP / "pyproject.toml").read_text())
COMPOSE: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
REQUIRED = re.compile(r"\$\{([A-Z_]+):\?[^}]+\}")


def instructions() -> list[tuple[str, str]]:
    """Return the instructions of the Dockerfile, each with its whole argument."""
    text = re.sub(r"^\s*#.*\n", "", (DEPLOY / "Dockerfile").read_text(), flags=re.MULTILINE)
    lines = re.sub(r"\\\n\s*", " ", text).splitlines()
    return [(word, rest) for word, _, rest in (line.partition(" ") for line in lines if line.strip())]


def arguments(word: str) -> list[str]:
    return [rest for found, rest in instructions() if found == word]


def copied() -> list[str]:
    """Return what the Dockerfile copies from the checkout."""
    sources = [shlex.split(rest)[:-1] for rest in arguments("COPY") if not rest.startswith("--from")]
    return [source.rstrip("/") for each in sources for source in each]


def ignored(path: str) -> bool:
    """Tell whether .dockerignore keeps a path out of the build: the last line that meets it or its folder counts."""
    found = False
    for line in (TOP / ".dockerignore").read_text().splitlines():
        if not line or line.startswith("#"):
            continue
        pattern = line.removeprefix("!")
        steps = path.split("/")
        if pattern.startswith("**/"):
            meets = any(fnmatch(step, pattern[3:]) for step in steps)
        else:
            meets = any(
                "/".join(steps[: end + 1]) == pattern or (pattern == "*" and end == 0) for end in range(len(steps))
            )
        if meets:
            found = not line.startswith("!")
    return found


# The image


def test_everything_that_is_copied_is_there_and_reaches_the_build() -> None:
    assert copied()
    for source in copied():
        assert (TOP / source).exists(), source
        assert not ignored(source), source


def test_everything_that_the_wheel_is_built_from_is_copied() -> None:
    wheel = PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]
    needed = [*wheel["packages"], *wheel["force-include"], PROJECT["project"]["readme"], "pyproject.toml", "LICENSE"]
    for path in needed:
        assert any(path == source or path.startswith(f"{source}/") for source in copied()), path


@pytest.mark.parametrize(
    "path", [".git", ".venv", "var", "var/chain.json", "deploy/.env", "tests", "service/shutbox/__pycache__"]
)
def test_no_secret_and_no_leftover_reaches_the_build(path: str) -> None:
    assert ignored(path)


def test_the_base_image_has_a_python_that_the_project_takes() -> None:
    least = tuple(map(int, PROJECT["project"]["requires-python"].removeprefix(">=").split(".")))
    images = [rest.split()[0] for rest in arguments("FROM")]
    assert images
    for image in images:
        found = re.fullmatch(r"python:(\d+)\.(\d+)-slim", image)
        assert found, image
        assert (int(found[1]), int(found[2])) >= least


def test_nothing_runs_as_root() -> None:
    user = arguments("USER")[-1]
    assert user not in ("root", "0")
    assert any(re.search(rf"useradd .*\b{user}\b", rest) for rest in arguments("RUN"))
    words = [word for word, _ in instructions()]
    assert words.index("USER") < words.index("CMD")


def test_the_command_of_the_image_is_a_real_one_with_real_options() -> None:
    (command,) = arguments("CMD")
    program, name, *options = yaml.safe_load(command)
    assert PROJECT["project"]["scripts"][program] == "shutbox.cli:main"
    known = {opt for param in cli.main.commands[name].params if isinstance(param, click.Option) for opt in param.opts}
    assert [option for option in options if option.startswith("--") and option not in known] == []
    helped = subprocess.run(
        [sys.executable, "-m", "shutbox.cli", name, "--help"],
        capture_output=True,
        text=True,
        check=True,
        env=without_settings(),
    )
    assert all(option in helped.stdout for option in options if option.startswith("--"))
    given = dict(zip(options[::2], options[1::2], strict=True))
    assert given["--bind"].startswith("0.0.0.0:")
    assert given["--bind"].rpartition(":")[2] in arguments("EXPOSE")
    assert given["--data-dir"] in arguments("VOLUME")


def test_the_health_check_of_the_image_asks_whether_it_is_ready() -> None:
    (check,) = arguments("HEALTHCHECK")
    program, flag, code = yaml.safe_load(check.partition("CMD ")[2])
    assert (program, flag) == ("python", "-c")
    compile(code, "HEALTHCHECK", "exec")
    assert f"http://127.0.0.1:{arguments('EXPOSE')[0]}/readyz" in code


def test_the_image_holds_no_setting_and_no_secret() -> None:
    assert not any("SHUTBOX_" in rest or "PASSWORD" in rest for word, rest in instructions() if word in ("ENV", "ARG"))


# The compose file


def test_the_services_are_there_and_wait_for_each_other() -> None:
    assert set(SERVICES) == {"shutbox", "postgres", "valkey"}
    for name in ("postgres", "valkey"):
        assert SERVICES[name]["healthcheck"]["test"]
        assert SERVICES["shutbox"]["depends_on"][name] == {"condition": "service_healthy"}
    assert arguments("HEALTHCHECK"), "the check of shutbox is in its image"


def test_the_image_is_built_from_the_checkout() -> None:
    build = SERVICES["shutbox"]["build"]
    assert (DEPLOY / build["context"]).resolve() == TOP
    assert (TOP / build["dockerfile"]).samefile(DEPLOY / "Dockerfile")


def test_every_variable_that_is_asked_for_is_required() -> None:
    text = re.sub(r"#.*", "", (DEPLOY / "compose.yaml").read_text())
    assert set(REQUIRED.findall(text)) == {"POSTGRES_PASSWORD", "VALKEY_PASSWORD", "SHUTBOX_ORIGIN"}
    assert "$" not in REQUIRED.sub("", text), "no variable may have a default or be empty"


def test_every_variable_that_is_set_is_a_setting_with_a_value_that_is_taken() -> None:
    filled = {"POSTGRES_PASSWORD": "0" * 64, "VALKEY_PASSWORD": "1" * 64, "SHUTBOX_ORIGIN": "https://play.example.org"}
    given = {
        name: REQUIRED.sub(lambda found: filled[found[1]], value)
        for name, value in SERVICES["shutbox"]["environment"].items()
    }
    settings = Settings.from_env(given)
    assert settings.origin == "https://play.example.org"
    for url, name, port in ((settings.database_url, "postgres", 5432), (settings.redis_url, "valkey", 6379)):
        assert (urlsplit(url).hostname, urlsplit(url).port) == (name, port)
    assert urlsplit(settings.database_url).password == filled["POSTGRES_PASSWORD"]
    assert urlsplit(settings.redis_url).password == filled["VALKEY_PASSWORD"]
    database = SERVICES["postgres"]["environment"]
    assert urlsplit(settings.database_url).username == database["POSTGRES_USER"]
    assert urlsplit(settings.database_url).path == f"/{database['POSTGRES_DB']}"


def test_no_password_is_written_in_the_file() -> None:
    command = SERVICES["valkey"]["command"]
    passwords = [
        SERVICES["postgres"]["environment"]["POSTGRES_PASSWORD"],
        SERVICES["valkey"]["environment"]["REDISCLI_AUTH"],
        command[command.index("--requirepass") + 1],
    ]
    found = [REQUIRED.fullmatch(password) for password in passwords]
    assert [each and each[1] for each in found] == ["POSTGRES_PASSWORD", "VALKEY_PASSWORD", "VALKEY_PASSWORD"]


def test_the_data_is_in_volumes_that_are_declared() -> None:
    mounted = {name: SERVICES[name].get("volumes", []) for name in SERVICES}
    volumes = {volume.partition(":")[0] for each in mounted.values() for volume in each}
    assert volumes == set(COMPOSE["volumes"])
    assert [volume.partition(":")[2] for volume in mounted["shutbox"]] == arguments("VOLUME")


def test_only_the_service_is_published_and_only_to_this_machine() -> None:
    ports = {name: service["ports"] for name, service in SERVICES.items() if "ports" in service}
    assert list(ports) == ["shutbox"]
    for port in ports["shutbox"]:
        host, _, inside = port.rpartition(":")
        assert host.startswith("127.0.0.1:")
        assert inside in arguments("EXPOSE")


# gunicorn


def without_settings() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if not name.startswith("SHUTBOX_")}


def test_gunicorn_takes_its_settings_and_loads_the_app(tmp_path: Path) -> None:
    prepare(Settings(data_dir=tmp_path))
    environment = {"SHUTBOX_DATA_DIR": str(tmp_path), "SHUTBOX_REDIS_URL": "redis://127.0.0.1:1/0"}
    checked = subprocess.run(
        [sys.executable, "-m", "gunicorn", "--check-config", "-c", str(DEPLOY / "gunicorn.conf.py")],
        capture_output=True,
        text=True,
        check=False,
        env={**without_settings(), **environment},
        cwd=tmp_path,
    )
    assert checked.returncode == 0, checked.stderr


def test_the_numbers_of_gunicorn_are_the_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("SHUTBOX_WORKERS", "SHUTBOX_THREADS"):
        monkeypatch.delenv(name, raising=False)
    conf = runpy.run_path(str(DEPLOY / "gunicorn.conf.py"))
    assert (conf["workers"], conf["threads"]) == (Settings().workers, Settings().threads)
    monkeypatch.setenv("SHUTBOX_WORKERS", "5")
    monkeypatch.setenv("SHUTBOX_THREADS", "7")
    conf = runpy.run_path(str(DEPLOY / "gunicorn.conf.py"))
    assert (conf["workers"], conf["threads"]) == (5, 7)
