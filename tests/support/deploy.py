"""What `deploy/` says, read: the Compose file, the image's command and settings."""

from __future__ import annotations

import configparser
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from script.lib.console import ROOT

DEPLOY = ROOT / "deploy"
# What a unit may say several times, each adding to the others.
_SEVERAL = ("Environment=", "EnvironmentFile=")


def placed(text: str, places: Mapping[str, str]) -> str:
    """A text with some of its words replaced, each of which must be there: what has been renamed
    in a file is noticed where it is used."""
    for old, new in places.items():
        assert old in text, f"{old!r} is not there any more"
        text = text.replace(old, new)
    return text


def example() -> dict[str, str]:
    """The settings that operators begin with."""
    lines = (DEPLOY / "gauntlet.env.example").read_text().splitlines()
    return dict(line.split("=", 1) for line in lines if line and not line.startswith("#"))


def compose() -> dict[str, Any]:
    """The Compose file, with what its services share merged into each."""
    whole: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
    return whole


def _image() -> str:
    """The Dockerfile's last stage, its lines joined."""
    text = (DEPLOY / "Dockerfile").read_text().replace("\\\n", " ")
    return text[text.rindex("\nFROM ") :]


def unit(path: Path) -> configparser.ConfigParser:
    """A unit file: sections of keys, of which we use each once, but for the environment's."""
    parsed = configparser.ConfigParser(strict=True, interpolation=None, delimiters=("=",))
    parsed.optionxform = str  # type: ignore[assignment,method-assign]  # as the stubs' own docs say
    lines = path.read_text().splitlines()
    own = [line for line in lines if not line.startswith(_SEVERAL)]
    parsed.read_string("\n".join(own))
    return parsed


def unit_environment(path: Path, instance: str = "") -> dict[str, str]:
    """What a unit itself says of its process's environment, for an instance of it."""
    lines = path.read_text().splitlines()
    words = [
        word for line in lines if line.startswith("Environment=") for word in line[12:].split()
    ]
    return dict(word.replace("%i", instance).split("=", 1) for word in words)


def enabled() -> list[str]:
    """The units of processes that the page has enabled, each as `kind` or `kind@instance`."""
    text = (DEPLOY / "README.md").read_text().replace("\\\n", " ")
    (line,) = re.findall(r"^systemctl enable --now (.*gauntlet-web.*)$", text, re.MULTILINE)
    return [word.removeprefix("gauntlet-") for word in line.split() if not word.endswith(".timer")]


def image_command() -> list[str]:
    """What the site's image runs where a service says nothing else."""
    text = _image()
    return re.findall(r'"([^"]*)"', text[text.rindex("\nCMD [") :])


def image_environment() -> dict[str, str]:
    """What the site's image has in its environment."""
    (line,) = re.findall(r"^ENV (.*)$", _image(), re.MULTILINE)
    return dict(word.split("=", 1) for word in line.split())


@dataclass(frozen=True)
class Part:
    """A service of the Compose file: one of the site's own processes, or one that these need. The
    ``kind`` of several that are alike is their name without its number."""

    name: str
    kind: str
    command: tuple[str, ...]
    environment: dict[str, str]
    is_ours: bool
    runs_once: bool
    volumes: tuple[tuple[str, str], ...]

    def mounted(self, where: str) -> Path:
        """The file of `deploy/` that stands at a path of its container."""
        for source, target in self.volumes:
            if target == where:
                return DEPLOY / source
        raise AssertionError(f"{self.name} has no {where}")


def parts() -> dict[str, Part]:
    """The services that come up together, by name: those of profiles are run when they are asked
    for."""
    services = compose()["services"]
    return {
        name: _part(name, service)
        for name, service in services.items()
        if "profiles" not in service
    }


def _part(name: str, service: Mapping[str, Any]) -> Part:
    is_ours = service.get("image", "").startswith("gauntlet:")
    settings = example()
    given = {
        key: re.sub(r"\$\{(\w+):\?\}", lambda found: settings[found[1]], value)
        for key, value in service.get("environment", {}).items()
    }
    if is_ours:
        assert service["env_file"] == "gauntlet.env"
        given = {**image_environment(), **settings, **given}
    command = service.get("command", image_command() if is_ours else ())
    volumes = [volume.split(":") for volume in service.get("volumes", ())]
    return Part(
        name=name,
        kind=re.sub(r"-\d+$", "", name),
        command=tuple(command),
        environment=given,
        is_ours=is_ours,
        runs_once=service.get("restart") == "no",
        volumes=tuple((source, target) for source, target, *_ in volumes),
    )
