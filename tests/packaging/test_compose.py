"""The container files, checked as far as that goes without an engine: `docker compose config` would refuse no less."""

from __future__ import annotations

import re
import subprocess
from typing import Any

import pytest
from pydantic import SecretStr

from app.settings import ConsoleSettings
from tests.compose import FILE, ROOT, document, services, waits
from tests.post import KEY

CONDITIONS = {"service_started", "service_healthy", "service_completed_successfully"}
KEYS = {
    "build", "image", "command", "entrypoint", "environment", "depends_on", "restart", "networks", "ports", "volumes",
    "healthcheck", "read_only", "tmpfs", "cap_drop", "security_opt", "stop_grace_period",
}  # fmt: skip
VARIABLE = re.compile(r"\$\{(\w+)(:[?-])([^}]+)\}")
PINNED = re.compile(r"[a-z0-9/-]+:[\w.-]*\d[\w.-]*")
DOCKERFILE = (ROOT / "Dockerfile").read_text()
OURS = ("migrate", "api", "product-worker", "provisioner-worker")


def values(of: Any) -> list[str]:
    """Every text in it."""
    if isinstance(of, dict):
        return [text for each in of.values() for text in values(each)]
    if isinstance(of, list):
        return [text for each in of for text in values(each)]
    return [str(of)]


@pytest.mark.parametrize("name", services())
def test_a_service_has_only_what_compose_knows(name: str) -> None:
    service = services()[name]
    assert service.keys() <= KEYS
    assert service["restart"] in {"no", "unless-stopped"}
    assert set(service["networks"]) <= document()["networks"].keys()
    assert {each.split(":")[0] for each in service.get("volumes", [])} <= document()["volumes"].keys()


@pytest.mark.parametrize("name", services())
def test_what_is_waited_for_can_come_true(name: str) -> None:
    for other, condition in waits(name).items():
        assert condition in CONDITIONS
        if condition == "service_healthy":
            assert services()[other]["healthcheck"]["test"][0] == "CMD"
        if condition == "service_completed_successfully":
            assert services()[other]["restart"] == "no"


def test_nothing_waits_for_itself() -> None:
    def reached(name: str, through: tuple[str, ...]) -> None:
        assert name not in through, through
        for other in waits(name):
            reached(other, (*through, name))

    for name in services():
        reached(name, ())


def test_who_needs_a_server_is_on_a_network_with_it() -> None:
    for name, service in services().items():
        for host in re.findall(r"(?:@|//)(\w+)(?=[:/])", " ".join(values(service.get("environment", {})))):
            if host in services():
                assert set(service["networks"]) & set(services()[host]["networks"]), (name, host)


def test_each_variable_has_a_value_or_says_that_it_is_missing() -> None:
    text = FILE.read_text()
    assert text.count("$") == len(VARIABLE.findall(text))


def test_no_secret_is_in_the_file() -> None:
    for name, service in services().items():
        for setting, value in service.get("environment", {}).items():
            if "PASSWORD" in setting or "SECRET" in setting:
                assert VARIABLE.fullmatch(value), (name, setting)
            for password in re.findall(r"//\w+:(.*)@", value):
                assert VARIABLE.fullmatch(password), (name, setting)
    assert all(mark == ":?" for variable, mark, _ in VARIABLE.findall(FILE.read_text()) if "PASSWORD" in variable)


def test_images_are_pinned_and_name_no_host() -> None:
    for name, service in services().items():
        if "build" not in service:
            assert PINNED.fullmatch(service["image"]), name
    assert PINNED.fullmatch(document()["x-watchfloor"]["build"]["args"]["BASE"].split(":-")[1].rstrip("}"))


def test_the_base_image_is_an_argument_and_nobody_is_root() -> None:
    assert DOCKERFILE.count("FROM ${BASE}") == DOCKERFILE.count("FROM ") == 2
    final = DOCKERFILE.split("FROM ")[-1]
    assert re.search(r"^USER (?!0|root)", final, flags=re.MULTILINE)
    assert 'ENTRYPOINT ["watchfloor"]' in final


def test_only_what_the_wheel_is_made_of_goes_into_the_build() -> None:
    lines = (ROOT / ".dockerignore").read_text().splitlines()
    wanted = {line.removeprefix("!") for line in lines if line.startswith("!")}
    assert "*" in lines
    assert all((ROOT / each).exists() for each in wanted)
    assert wanted >= {"pyproject.toml", "requirements.lock", "app", "worker", "migrations", "static", "templates"}


def test_the_image_has_the_versions_of_the_lock() -> None:
    script = re.search(r"sed -nE '([^']+)' requirements.lock", DOCKERFILE)
    assert script
    lock = ROOT / "requirements.lock"
    kept = subprocess.check_output(["sed", "-nE", script[1], lock], text=True).splitlines()
    pinned = re.findall(r"^([\w.-]+)(?:\[\w+\])?==(\S+)", lock.read_text(), flags=re.MULTILINE)
    assert [each.split(" ;")[0].strip() for each in kept] == [f"{name}=={version}" for name, version in pinned]


@pytest.mark.parametrize("name", OURS)
def test_our_own_settings_are_settings(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def filled(value: object) -> str:
        return VARIABLE.sub(lambda found: KEY if found[1] == "SECRET_KEYS" else "letters", str(value))

    given = {setting: filled(value) for setting, value in services()[name]["environment"].items()}
    for setting, value in given.items():
        monkeypatch.setenv(setting, value)
    settings = ConsoleSettings()
    ours = {each.removeprefix("WATCHFLOOR_").lower() for each in given if not each.startswith("AWS_")}
    assert ours <= settings.model_fields_set
    assert settings.database_url == SecretStr(given["DATABASE_URL"])
