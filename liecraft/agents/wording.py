"""What prompts say: templates of a game, the common ones, and those of a folder that words them anew."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

from liecraft.engine.errors import ConfigError, UnknownName
from liecraft.engine.registry import game_class
from liecraft.engine.render import read_template

COMMON = "liecraft.prompts.common"
OWN = ("system.md", "request.md")
"""Templates that each game has its own of."""
SHARED = ("reply.md", "turn.md", "reask.md", "compacted.md", "probe.md")
"""Templates that all games share."""


@dataclass(frozen=True, slots=True)
class Wording:
    """The templates that a game's prompts are made of.

    Attributes:
        game: Registered game.
        lang: Language folder.
        folder: Folder of templates that stand in for those of the same name; None leaves all as they are.
    """

    game: str
    lang: str = "en"
    folder: str | None = None

    def check(self) -> None:
        """See that the folder words something anew, and nothing that isn't there.

        Raises:
            ConfigError: There is no such folder, or it has no template, or one of an unknown name.
        """
        if self.folder is None:
            return
        folder = Path(self.folder)
        if not folder.is_dir():
            raise ConfigError(f"prompts: {self.folder} is no folder")
        found = sorted(path.name for path in folder.glob("*.md"))
        if not found:
            raise ConfigError(f"prompts: {self.folder} holds none of {', '.join(OWN + SHARED)}")
        for name in found:
            if name not in OWN + SHARED:
                raise UnknownName(f"template in {self.folder}", name, OWN + SHARED)

    def read(self, name: str) -> str:
        """Source of a template, such as `system.md`.

        Raises:
            ConfigError: The language does not exist, or the file can't be read.
            FileNotFoundError: There is no such template.
        """
        if self.folder is not None and (path := Path(self.folder) / name).is_file():
            try:
                return path.read_text(encoding="utf-8")
            except (OSError, UnicodeDecodeError) as error:
                raise ConfigError(f"{path}: {error}") from None
        return read_template(self._package if name in OWN else COMMON, self.lang, name)

    def digest(self) -> str:
        """SHA-256 of all templates, 64 hexadecimal digits; it changes with any byte or name of one.

        Raises:
            ConfigError: The language does not exist.
        """
        digest = sha256()
        for package in (self._package, COMMON):
            for name, content in _templates(package, self.lang):
                digest.update(_line(package, name, content))
        if self.folder is not None:
            for path in sorted(Path(self.folder).glob("*.md")):
                digest.update(_line("", path.name, path.read_bytes()))
        return digest.hexdigest()

    @property
    def _package(self) -> str:
        return game_class(self.game).prompts


def _line(package: str, name: str, content: bytes) -> bytes:
    text = content.replace(b"\r\n", b"\n")  # a checkout may have turned line ends
    return json.dumps([package, name, sha256(text).hexdigest()], separators=(",", ":")).encode()


def _templates(package: str, lang: str) -> Iterator[tuple[str, bytes]]:
    folder = files(package) / lang
    if not folder.is_dir():
        raise ConfigError(f"{package} has no prompts in {lang!r}")
    yield from _below(folder, lang)


def _below(folder: Traversable, path: str) -> Iterator[tuple[str, bytes]]:
    for item in sorted(folder.iterdir(), key=lambda entry: entry.name):
        here = f"{path}/{item.name}"
        if item.is_dir():
            yield from _below(item, here)
        elif item.name.endswith(".md"):
            yield here, item.read_bytes()
