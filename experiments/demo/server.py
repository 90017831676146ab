"""HTTP around a `Shelf`: loopback only, every request checked, none ends the server."""

import json
import socket
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from experiments.demo.shelf import Shelf
from pilno_jax.checks import ArgumentError

PAGE = Path(__file__).parent / "page"
SCRIPTS = ("plots.js", "inputs.js", "page.js")
FILES = {
    "/": ("index.html", "text/html"),
    "/style.css": ("style.css", "text/css"),
    # The one file that a page without a server has another of: see `static_page`.
    "/answers.js": ("answers_server.js", "text/javascript"),
    **{f"/{name}": (name, "text/javascript") for name in SCRIPTS},
}
LARGEST_BODY = 4_000_000
SECONDS_TO_SEND = 10.0
# The page needs its own scripts and style, and nothing from anywhere else.
POLICY = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; "
POLICY += "connect-src 'self'; img-src data:"


class Refused(Exception):
    """A request that is answered with a status and a reason."""

    def __init__(self, status: HTTPStatus, reason: str):
        super().__init__(reason)
        self.status = status


def serve(shelf: Shelf, port: int) -> "DemoServer":
    """A server on 127.0.0.1, not yet running.

    Args:
        shelf: what it serves.
        port: of the page; 0 takes a free one.
    """
    return DemoServer(shelf, port)


def require_free(port: int) -> None:
    """An `ArgumentError` if the port is taken, before anything is compiled for it."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError as error:
            text = f"port = {port} is not allowed: expected a free one ({error})"
            raise ArgumentError(text) from error


class DemoServer(ThreadingHTTPServer):
    """A thread for each request, and one answer at a time."""

    daemon_threads = True

    def __init__(self, shelf: Shelf, port: int):
        super().__init__(("127.0.0.1", port), Handler)
        self.shelf = shelf


class Handler(BaseHTTPRequestHandler):
    """One request: checked, answered, and never the end of the server."""

    server: "DemoServer"
    timeout = SECONDS_TO_SEND

    def do_GET(self) -> None:
        self._guarded(self._get)

    def do_POST(self) -> None:
        self._guarded(self._post)

    def _get(self) -> None:
        self._from_this_machine()
        if self.path in FILES:
            name, kind = FILES[self.path]
            self._send(HTTPStatus.OK, kind, (PAGE / name).read_bytes())
        elif self.path == "/problems":
            self._send_json(HTTPStatus.OK, self.server.shelf.listed())
        else:
            about = self.server.shelf.about(self._named("/about/"))
            self._send_json(HTTPStatus.OK, about)

    def _post(self) -> None:
        self._from_this_machine()
        name = self._named("/answer/")
        question = self._read_json()
        try:
            answer = self.server.shelf.answer(name, question)
        except ValueError as error:
            raise Refused(HTTPStatus.BAD_REQUEST, str(error)) from None
        self._send_json(HTTPStatus.OK, answer)

    def _named(self, prefix: str) -> str:
        """The operator that a path asks for."""
        name = self.path.removeprefix(prefix)
        if name == self.path or name not in self.server.shelf.names():
            raise Refused(HTTPStatus.NOT_FOUND, f"there is no {self.path[:80]}")
        return name

    def _from_this_machine(self) -> None:
        """A foreign page that points its own name at 127.0.0.1 sends that name."""
        host = self.headers.get("Host", "").rpartition(":")[0]
        if host not in ("127.0.0.1", "localhost"):
            raise Refused(HTTPStatus.FORBIDDEN, "only http://127.0.0.1 is served")

    def _read_json(self) -> Any:
        kind = self.headers.get("Content-Type", "").partition(";")[0].strip()
        if kind != "application/json":
            reason = f"Content-Type is {kind[:80]!r}: expected application/json"
            raise Refused(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, reason)
        length = self.headers.get("Content-Length", "")
        if not (length.isascii() and length.isdigit()):
            reason = f"Content-Length is {length[:20]!r}: expected a number"
            raise Refused(HTTPStatus.LENGTH_REQUIRED, reason)
        if len(length) > 9 or int(length) > LARGEST_BODY:
            reason = f"the body is too large: at most {LARGEST_BODY} bytes"
            raise Refused(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, reason)
        body = self.rfile.read(int(length))
        try:
            return json.loads(body, parse_constant=_no_constant)
        except (ValueError, RecursionError) as error:
            reason = f"the body is no JSON: {error}"
            raise Refused(HTTPStatus.BAD_REQUEST, reason) from None

    def _guarded(self, respond) -> None:
        try:
            respond()
        except Refused as refused:
            self.close_connection = True  # part of the body may be unread
            self._send_json(refused.status, {"error": str(refused)})
        except (ConnectionError, TimeoutError):
            self.close_connection = True
        except Exception as error:  # whatever it is, the next request is served
            self.log_error("%s: %s", type(error).__name__, error)
            reason = f"internal error: {type(error).__name__}"
            status = HTTPStatus.INTERNAL_SERVER_ERROR
            self._send_json(status, {"error": reason})

    def _send_json(self, status: HTTPStatus, content: Any) -> None:
        text = json.dumps(content, allow_nan=False)
        self._send(status, "application/json", text.encode())

    def _send(self, status: HTTPStatus, kind: str, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", f"{kind}; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Content-Security-Policy", POLICY)
        self.send_header("X-Content-Type-Options", "nosniff")
        self.end_headers()
        self.wfile.write(body)

    def log_request(self, code: Any = "-", size: Any = "-") -> None:
        """Silent: a drag of the mouse is a hundred requests."""


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not a finite number")
