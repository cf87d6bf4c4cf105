"""Settings from the environment."""

from pathlib import Path

import pytest
from redis import Redis
from shutbox.config import Settings
from shutbox.embedded import with_redis
from shutbox.errors import StartRefused
from sqlalchemy.engine import URL


def test_defaults_need_nothing() -> None:
    settings = Settings.from_env({"PATH": "/bin"})
    assert settings == Settings()
    assert settings.sql_url == URL.create("sqlite", database=str(Path("var").resolve() / "shutbox.sqlite3"))


def test_every_setting_is_read() -> None:
    settings = Settings.from_env(
        {
            "SHUTBOX_DATA_DIR": "/srv/shutbox",
            "SHUTBOX_DATABASE_URL": "postgresql://me@db/shutbox",
            "SHUTBOX_REDIS_URL": "redis://cache:6379/1",
            "SHUTBOX_ORIGIN": "https://play.example.org",
            "SHUTBOX_VARIANTS": "odds, evens",
            "SHUTBOX_GRACE_SECONDS": "60",
            "SHUTBOX_PRACTICE_DAYS": "3",
            "SHUTBOX_OFFLINE": "off",
            "SHUTBOX_WORKERS": "4",
            "SHUTBOX_THREADS": "8",
            "SHUTBOX_CLIENT_SERVER": "http://elsewhere",
        }
    )
    assert settings == Settings(
        data_dir=Path("/srv/shutbox"),
        database_url="postgresql+psycopg://me@db/shutbox",
        redis_url="redis://cache:6379/1",
        origin="https://play.example.org",
        variants=("odds", "evens"),
        grace_seconds=60,
        practice_days=3,
        offline=False,
        workers=4,
        threads=8,
    )


def test_all_mistakes_are_told_together() -> None:
    wrong = {
        "SHUTBOX_GRACE_SECONDS": "two hours",
        "SHUTBOX_WORKERS": "0",
        "SHUTBOX_OFFLINE": "0",
        "SHUTBOX_VARIANTS": "odds,chess",
        "SHUTBOX_DATABASE_URL": "mysql://x",
        "SHUTBOX_REDIS_URL": "http://x",
        "SHUTBOX_ORIGIN": "https://example.org/path",
        "SHUTBOX_GRACE": "1",
    }
    with pytest.raises(StartRefused) as refused:
        Settings.from_env(wrong)
    told = str(refused.value)
    for variable in wrong:
        assert variable in told
    for right in (
        "whole number from 0 to 43200",
        "from 1 to 256",
        "chess",
        "sqlite:///",
        "unix://",
        "like https://play",
        "on or off",
    ):
        assert right in told


@pytest.mark.parametrize("text", ["", "classic", "odds,,evens"])
def test_variants_are_rulesets_but_classic(text: str) -> None:
    with pytest.raises(StartRefused, match="SHUTBOX_VARIANTS"):
        Settings.from_env({"SHUTBOX_VARIANTS": text})


def test_a_relative_sqlite_file_is_the_same_file_for_everyone() -> None:
    settings = Settings.from_env({"SHUTBOX_DATABASE_URL": "sqlite:///x.sqlite3"})
    assert settings.sql_url.database == str(Path("x.sqlite3").resolve())


@pytest.mark.parametrize("url", ["sqlite://", "sqlite:///", "sqlite:///:memory:", "sqlite:///x?mode=ro"])
def test_a_database_that_forgets_is_refused(url: str) -> None:
    with pytest.raises(StartRefused, match="SHUTBOX_DATABASE_URL"):
        Settings.from_env({"SHUTBOX_DATABASE_URL": url})


@pytest.mark.parametrize(
    ("variable", "text"),
    [
        ("SHUTBOX_REDIS_URL", "redis:foo"),
        ("SHUTBOX_REDIS_URL", "redis://u:hunter2@h:port"),
        ("SHUTBOX_REDIS_URL", "unix://"),
        ("SHUTBOX_REDIS_URL", "http://u:hunter2@h"),
        ("SHUTBOX_DATABASE_URL", "mysql://u:hunter2@db/x"),
        ("SHUTBOX_DATABASE_URL", "postgresql://u:hunter2@h:port/x"),
        ("SHUTBOX_ORIGIN", "https://"),
        ("SHUTBOX_ORIGIN", "https://example.org:443"),
        ("SHUTBOX_ORIGIN", "https://Example.org"),
        ("SHUTBOX_ORIGIN", "https://u@example.org"),
        ("SHUTBOX_ORIGIN", "https://example.org/"),
    ],
)
def test_an_address_that_cannot_be_is_refused_without_its_password(variable: str, text: str) -> None:
    with pytest.raises(StartRefused, match=variable) as refused:
        Settings.from_env({variable: text})
    assert "hunter2" not in str(refused.value)


@pytest.mark.parametrize("name", ["a?b", "a%41b", "a#b", "ä b"])
def test_a_data_folder_may_have_any_name(tmp_path: Path, name: str) -> None:
    settings = with_redis(Settings(data_dir=tmp_path / name))
    assert settings.sql_url.database == str(tmp_path / name / "shutbox.sqlite3")
    assert Redis.from_url(settings.redis_url).connection_pool.connection_kwargs["path"] == str(
        tmp_path / name / "redis.sock"
    )
