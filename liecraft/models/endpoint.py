"""Where an endpoint is and how to say so without giving secrets away."""

import json
import os
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from ipaddress import ip_address
from urllib.parse import parse_qsl, unquote, urlsplit

from liecraft.models.base import ModelConfigError

OPENAI_URL = "https://api.openai.com/v1"
NO_KEY = "no-key-needed"
"""Sent to endpoints on this machine when no key is set: the client insists on one, they don't."""

_CLIP = 300
_MIN_SECRET = 4  # a shorter "key" is a placeholder, and blanking it would blank ordinary words


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A base URL with its key; the key stays out of `repr`."""

    base_url: str
    api_key: str = field(repr=False)
    api_key_env: str

    @classmethod
    def resolve(cls, base_url: str | None = None, api_key_env: str = "OPENAI_API_KEY") -> "Endpoint":
        """Find URL and key, the environment filling in what is not given.

        Args:
            base_url: up to and including `/v1`; None reads OPENAI_BASE_URL, then falls back to OpenAI itself.
            api_key_env: the name of the environment variable that holds the key.

        Raises:
            ModelConfigError: the URL is none, or an endpoint beyond this machine has no key.
        """
        url = (base_url or os.environ.get("OPENAI_BASE_URL") or OPENAI_URL).strip().rstrip("/")
        host = _host(url)
        key = os.environ.get(api_key_env, "").strip()
        if not key and not _is_loopback(host):
            raise ModelConfigError(
                f"no key for {host}: set the environment variable {api_key_env} "
                "(to any word if the endpoint wants none)"
            )
        if not key.isascii() or not key.isprintable():
            raise ModelConfigError(
                f"the key in {api_key_env} holds what no HTTP header can carry: set it anew"
            )
        return cls(url, key or NO_KEY, api_key_env)

    @property
    def address(self) -> str:
        """Host and port, the only part of the URL that errors may show."""
        parts = urlsplit(self.base_url)
        host = parts.hostname or ""
        host = f"[{host}]" if ":" in host else host
        return f"{host}:{parts.port or (443 if parts.scheme == 'https' else 80)}"

    @property
    def is_loopback(self) -> bool:
        """Whether the endpoint is on this machine."""
        return _is_loopback(_host(self.base_url))

    def scrubber(self) -> Callable[[str], str]:
        """Return a function that makes a server's words fit to show: secrets out, one line, clipped."""
        parts = urlsplit(self.base_url)
        in_url = {
            parts.username,
            parts.password,
            parts.query,
            *(value for _, value in parse_qsl(parts.query)),
        }
        decoded = {unquote(secret) for secret in in_url if secret}
        secrets = ({self.api_key} | in_url | decoded) - {None, NO_KEY}
        forms = {form for secret in secrets if secret for form in (secret, json.dumps(secret)[1:-1])}
        # Longest first, so that a secret that holds another one goes as a whole.
        known = [re.escape(s) for s in sorted(forms, key=len, reverse=True) if len(s) >= _MIN_SECRET]
        pattern = re.compile("|".join([*known, r"(?<=bearer )\S+", r"\bsk-[\w*.-]{4,}"]), re.IGNORECASE)

        def scrub(text: str) -> str:
            # Cleaned before it is searched: a control character inside a key would hide it from the search.
            line = "".join(c if c.isprintable() else " " if c.isspace() else "" for c in text)
            line = pattern.sub("***", " ".join(line.split()))
            return line if len(line) <= _CLIP else f"{line[:_CLIP]}…"

        return scrub


def _host(url: str) -> str:
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError:
        host = None
    if not host or parts.scheme not in ("http", "https"):
        shown = url.rsplit("@", 1)[-1]  # what stands before an @ may be a password
        raise ModelConfigError(
            f"base URL {shown!r} is no http(s) URL: write it like http://127.0.0.1:8000/v1"
        )
    return host


def _is_loopback(host: str) -> bool:
    try:
        address = ip_address(host)
        return address.is_loopback or address.is_unspecified
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")
