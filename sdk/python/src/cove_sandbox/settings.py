"""Where the server is and which key to show: arguments, then the environment, then the profile."""

from __future__ import annotations

import dataclasses
import json
import os
import pathlib
from typing import Dict, Mapping, Optional

DEFAULT_URL = "http://127.0.0.1:7717"


@dataclasses.dataclass(frozen=True)
class Settings:
    url: str
    api_key: Optional[str] = dataclasses.field(repr=False)
    unix_socket: Optional[str] = None


def profile_path(environment: Mapping[str, str]) -> pathlib.Path:
    base = environment.get("XDG_CONFIG_HOME") or os.path.join(environment.get("HOME") or os.path.expanduser("~"), ".config")
    return pathlib.Path(base, "cove", "profile.json")


def read_profile(path: pathlib.Path) -> Dict[str, str]:
    try:
        told = json.loads(path.read_text())
    except FileNotFoundError:
        return {}
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None
    if not isinstance(told, dict):
        raise ValueError(f"{path}: not a JSON object")
    return {name: value for name, value in told.items() if isinstance(value, str)}


def find(url: Optional[str] = None, api_key: Optional[str] = None, environment: Mapping[str, str] = os.environ) -> Settings:
    url = url or environment.get("COVE_URL")
    api_key = api_key or environment.get("COVE_API_KEY")
    if not url or not api_key:
        profile = read_profile(profile_path(environment))
        # The profile's key is for the profile's server: it is not shown to another one.
        at_home = not url or url.rstrip("/") == profile.get("address", DEFAULT_URL).rstrip("/")
        url = url or profile.get("address", DEFAULT_URL)
        api_key = api_key or (profile.get("key") if at_home else None)
    if url.startswith("unix:"):
        return Settings("http://localhost", api_key, url[len("unix:"):])
    if "://" not in url:
        url = f"http://{url}"
    return Settings(url.rstrip("/"), api_key)
