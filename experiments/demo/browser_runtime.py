"""onnxruntime-web, which runs ONNX programs in a browser, from the npm registry.

Its program for WebAssembly is 14 MB, so it is not part of this repository.
"""

import hashlib
import io
import os
import tarfile
import urllib.request
from pathlib import Path

from pilno_jax.checks import ArgumentError, require

NAME = "onnxruntime-web-1.30.0.tgz"
ADDRESS = f"https://registry.npmjs.org/onnxruntime-web/-/{NAME}"
SHA512 = (
    "ab4cbe26baedba45d2cec05610c71c55fa97db92d19a8b171c5f8269126683ca"
    "590a5cdc57bb2f35ce2b298de32f4d956fb42644c0ecd528a0a91e025c07ca61"
)
FILES = (
    "ort.wasm.min.mjs",
    "ort-wasm-simd-threaded.mjs",
    "ort-wasm-simd-threaded.wasm",
)
SECONDS = 60.0  # without a byte


def archive_bytes(given: str | None = None) -> bytes:
    """The package: given, as it was downloaded before, or downloaded now.

    Args:
        given: a file to take it from. Default: the user's folder for caches, where a
            download is kept, or the npm registry.

    Raises:
        ArgumentError: The file is missing or another one, or the registry cannot be
            reached.
    """
    source = Path(given) if given else kept()
    require(not given or source.is_file(), "runtime", given, f"a file, {NAME}")
    if source.is_file():
        return _checked(source.read_bytes(), str(source))
    content = _checked(_downloaded(), ADDRESS)
    kept().parent.mkdir(parents=True, exist_ok=True)
    kept().write_bytes(content)
    return content


def kept() -> Path:
    """Where a download is kept, in the user's folder for caches."""
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(home) / "pilno_jax" / NAME


def _downloaded() -> bytes:
    try:
        with urllib.request.urlopen(ADDRESS, timeout=SECONDS) as response:
            return response.read()
    except OSError as error:
        text = f"runtime: {ADDRESS} cannot be read ({error}); --runtime takes a copy"
        raise ArgumentError(text) from error


def _checked(content: bytes, source: str) -> bytes:
    whole = hashlib.sha512(content).hexdigest() == SHA512
    require(whole, "runtime", source, f"{ADDRESS}, byte for byte")
    return content


def unpack(content: bytes, folder: Path) -> None:
    """Write the files that a page needs.

    Args:
        content: of the package.
        folder: made if it is missing.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with tarfile.open(fileobj=io.BytesIO(content)) as archive:
        for name in FILES:
            member = archive.extractfile(f"package/dist/{name}")
            assert member is not None
            (folder / name).write_bytes(member.read())
