"""Access to the app's server: who may open the app, and what a browser may do with a response.

Any page in a browser and any user of a machine can send requests to its local ports. So the
server requires a cookie, which the first address of the app sets, and compares the origin of every
request with its own address.
"""

import json
import re
from base64 import b64encode
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from secrets import compare_digest, token_urlsafe
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

from hierdp_core.util.escaping import in_html

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

THIS_MACHINE = ("127.0.0.1", "localhost", "[::1]")
NOBODY = "'none'"
# Pages of this machine, on any port, as a CSP names them.
PAGES_HERE = "http://127.0.0.1:* http://localhost:*"
_OTHER_NAME = {"127.0.0.1": "localhost", "localhost": "127.0.0.1"}
_RENAMED = "renamed"  # parameter in the address of a frame that was redirected to the other name
_OPEN_PATH = "/_stcore/health"  # answers "ok" and nothing else
_WEEK = 7 * 24 * 3600  # seconds
_MOST_COOKIES = 1_000  # browsers that have access at the same time
_MOST_ESCAPES = 100  # backslashes in cookies, which the app behind the door reads slowly
_SAFE_PATH = re.compile(r"/(?!/)[^\\\s]*")


class Pass:
    """The token of the first address, and the cookies that were handed out for it.

    Attributes:
        cookie: the name of the cookie; servers on other ports of a machine see it as well.
        many: whether the token stays valid, for a class; otherwise it is valid once.
        token: the token in the first address.
    """

    def __init__(self, *, cookie: str = "hierdp", many: bool = False) -> None:
        self.cookie = cookie
        self.many = many
        self.token = token_urlsafe(24)
        self._spent = False
        self._given: list[str] = []

    def exchange(self, token: str) -> str | None:
        """Return a new cookie for the token; None if the token is wrong or was used before."""
        if self._spent or not _same(token, self.token):
            return None
        self._spent = not self.many
        self._given = [*self._given[1 - _MOST_COOKIES :], token_urlsafe(24)]
        return self._given[-1]

    def admits(self, cookie: str) -> bool:
        """Return whether a cookie was handed out by this server."""
        return any(_same(cookie, given) for given in self._given)


@dataclass(frozen=True, eq=False, kw_only=True)
class Door:
    """ASGI middleware that admits only browsers with the cookie, from pages of the app itself.

    Attributes:
        app: the app behind the door.
        entry: the token and its cookies; None admits everyone who can connect to the port.
        hosts: names of the server that a request may have, without the port; empty for any.
        origins: origins of the app's pages besides the host of the request, such as the address
            of a proxy.
        framed_by: pages that may show the app in a frame, as a CSP names them.
        page: the HTML of the app's page, whose own scripts may run.
        early: scripts that the browser fetches with the page, and runs while the server computes
            its content.
    """

    app: App
    entry: Pass | None
    hosts: tuple[str, ...] = THIS_MACHINE
    origins: tuple[str, ...] = ()
    framed_by: str = NOBODY
    page: str = field(default="", repr=False)
    early: tuple[str, ...] = ()

    @classmethod
    def before(cls, app: App, **how: Any) -> "Door":
        """Return the door of an app, for a framework that passes the app by position."""
        return cls(app=app, **how)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, or pass it to the app."""
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        request = _Request.of(scope)
        send = self._with_headers(send)
        if refusal := self._refusal(request):
            await _refuse(scope, send, refusal)
        elif self.framed_by != NOBODY and request.from_other_site:
            await _welcome(send, "", request.address_in_frame)
        elif self._is_in(request):
            if request.token and scope["type"] == "http" and scope["method"] == "GET":
                await _welcome(send, "", request.path_without_token)
            elif scope["type"] == "websocket":
                await _Line(receive, send).answer(self.app, scope)
            else:
                await self.app(scope, receive, send)
        elif cookie := self._cookie_for(request, scope):
            await _welcome(send, cookie, request.path_without_token)
        else:
            await _refuse(scope, send, _NO_WAY_IN)

    def _refusal(self, request: "_Request") -> str:
        if self.hosts and request.host_name not in self.hosts:
            return (
                "This server does not answer to that name. Open the address that `hierdp` printed."
            )
        if request.n_escapes > _MOST_ESCAPES:
            return "The cookies of this request cannot be read."
        if request.origin is None or request.path == _OPEN_PATH:
            return ""
        origins = {f"http://{request.host}", f"https://{request.host}", *self.origins}
        return "" if request.origin in origins else "Requests from other pages are not answered."

    def _is_in(self, request: "_Request") -> bool:
        if self.entry is None or request.path == _OPEN_PATH:
            return True
        return self.entry.admits(request.cookies.get(self.entry.cookie, ""))

    def _cookie_for(self, request: "_Request", scope: Scope) -> str:
        if self.entry is None or scope["type"] != "http" or scope["method"] != "GET":
            return ""
        given = self.entry.exchange(request.token)
        return "" if given is None else f"{self.entry.cookie}={given}"

    def _with_headers(self, send: Send) -> Send:
        held: Message | None = None  # the start of a page, until the length of the page is known

        async def sent(message: Message) -> None:
            nonlocal held
            if message["type"] == "http.response.start":
                given = [*message.get("headers", ())]
                headers = [*self.headers]
                is_early = bool(self.early) and message["status"] == 200 and _is_page(given)
                if is_early:
                    headers.append(("link", ", ".join(map(_early, self.early))))
                message["headers"] = [
                    *given,
                    *((name.encode(), value.encode()) for name, value in headers),
                ]
                if is_early:
                    held = message
                    return
            elif held is not None:
                held, message = await _sent_page(send, held, message, self._starter)
            await send(message)

        return sent

    @cached_property
    def _starter(self) -> str:
        """The script of the page that runs the early scripts."""
        return _STARTER.replace("SCRIPTS", json.dumps(self.early))

    @cached_property
    def headers(self) -> tuple[tuple[str, str], ...]:
        """The security headers of every answer."""
        inline = f"<script>{self._starter}</script>" if self.early else ""
        scripts = " ".join((_SCRIPTS, *_hashes(self.page + inline)))
        allowed = {"script-src": scripts, **_ALLOWED, "frame-ancestors": self.framed_by}
        return (
            ("content-security-policy", "; ".join(f"{a} {b}" for a, b in allowed.items())),
            ("x-content-type-options", "nosniff"),
            ("referrer-policy", "no-referrer"),
            ("cross-origin-opener-policy", "same-origin"),
            ("cross-origin-resource-policy", "same-origin"),
            ("permissions-policy", "camera=(), microphone=(), geolocation=()"),
        )


class _Line:
    """A visitor's WebSocket. When it ends, a message that is being sent causes no error."""

    def __init__(self, receive: Receive, send: Send) -> None:
        self._receive, self._send = receive, send
        self._ended = False

    async def answer(self, app: App, scope: Scope) -> None:
        """Let the app answer, until the visitor leaves."""
        try:
            await app(scope, self._received, self._sent)
        except RuntimeError:  # this shows that a connection has ended
            if not self._ended:
                raise

    async def _received(self) -> Message:
        message = await self._receive()
        self._ended = self._ended or message.get("type") == "websocket.disconnect"
        return message

    async def _sent(self, message: Message) -> None:
        try:
            await self._send(message)
        except BaseException:
            self._ended = True
            raise
        self._ended = self._ended or message.get("type") == "websocket.close"


def _is_page(headers: Iterable[tuple[bytes, bytes]]) -> bool:
    kinds = (value for name, value in headers if name.lower() == b"content-type")
    return any(kind.startswith(b"text/html") for kind in kinds)


def _early(script: str) -> str:
    return f"<{script}>; rel=modulepreload; crossorigin"


async def _sent_page(
    send: Send, start: Message, message: Message, script: str
) -> tuple[None, Message]:
    """Send the held start of a page; return its first part with a script added to its head."""
    body: bytes = message.get("body", b"")
    longer = body.replace(b"</head>", f"<script>{script}</script></head>".encode(), 1)
    added = len(longer) - len(body)
    start["headers"] = [
        (name, str(int(value) + added).encode() if name.lower() == b"content-length" else value)
        for name, value in start["headers"]
    ]
    await send(start)
    return None, {**message, "body": longer} if added else message


# The libraries of charts and tables take half a second to run. The browser runs them while the
# server computes the first page, so not before the browser has asked for that page.
_STARTER = """
(function wait() {
  const connected = "[data-test-connection-state=CONNECTED]";
  if (!document.querySelector(connected)) return setTimeout(wait, 30);
  for (const script of SCRIPTS) import(script).catch(() => {});
})();
"""


# Streamlit styles its elements from scripts.
_ALLOWED = {
    "default-src": "'self'",
    "style-src": "'self' 'unsafe-inline'",
    "img-src": "'self' data: blob:",
    "font-src": "'self' data:",
    "connect-src": "'self' data:",
    "worker-src": "'self' blob:",
    "object-src": "'none'",
    "base-uri": "'self'",
    "form-action": "'self'",
}
# The app's own components come to the browser as blobs, which only scripts of the page can make.
_SCRIPTS = "'self' blob: 'wasm-unsafe-eval'"
_INLINE = re.compile(r"<script(?![^>]*\ssrc=)[^>]*>(.*?)</script>", re.DOTALL)

_NO_WAY_IN = (
    "This copy of HierDP belongs to the person who started it. Open the address that the command "
    "`hierdp` printed. Without --host, this address is valid once. For another browser, start "
    "`hierdp` again."
)


@dataclass(frozen=True, kw_only=True)
class _Request:
    """The parts of a request that the door checks."""

    path: str
    query: tuple[tuple[str, str], ...]
    host: str
    origin: str | None
    cookies: dict[str, str]
    n_escapes: int
    fetch_site: str
    fetch_destination: str

    @classmethod
    def of(cls, scope: Scope) -> "_Request":
        headers: dict[str, str] = {}
        for name, value in scope.get("headers", ()):
            # A second header of the same name is read as part of the first, never instead of it.
            key, text = name.decode("latin-1").lower(), value.decode("latin-1")
            headers[key] = f"{headers[key]},{text}" if key in headers else text
        query = scope.get("query_string", b"").decode("latin-1")
        return cls(
            path=scope.get("path", "/"),
            query=tuple(parse_qsl(query, keep_blank_values=True)),
            host=headers.get("host", "").lower(),
            origin=headers["origin"].lower() if "origin" in headers else None,
            cookies=_cookies(headers.get("cookie", "")),
            n_escapes=headers.get("cookie", "").count("\\"),
            fetch_site=headers.get("sec-fetch-site", ""),
            fetch_destination=headers.get("sec-fetch-dest", ""),
        )

    @property
    def host_name(self) -> str:
        return re.sub(r":\d*$", "", self.host)

    @property
    def token(self) -> str:
        return dict(self.query).get("token", "")

    @property
    def path_without_token(self) -> str:
        return self._path([pair for pair in self.query if pair[0] not in ("token", _RENAMED)])

    @property
    def from_other_site(self) -> bool:
        """Whether the app is in a frame, and the page around it has another name of this machine.

        To a browser, 127.0.0.1 and localhost are two sites, and a cookie of one is not sent from a
        frame in a page of the other. The app has both names, so the frame uses that of its page.
        """
        return (
            self.fetch_site == "cross-site"
            and self.fetch_destination == "iframe"
            and self.host_name in _OTHER_NAME
        )

    @property
    def address_in_frame(self) -> str:
        """The address with its token under the other name of this machine.

        After the redirect, the address opens itself once more, because a browser keeps no cookie
        of a frame that another site has redirected.
        """
        if _RENAMED in dict(self.query):
            return self._path(list(self.query))
        port = self.host.removeprefix(self.host_name)
        return f"http://{_OTHER_NAME[self.host_name]}{port}" + self._path(
            [*self.query, (_RENAMED, "1")]
        )

    def _path(self, query: list[tuple[str, str]]) -> str:
        path = self.path if _SAFE_PATH.fullmatch(self.path) else "/"
        return f"{path}?{urlencode(query)}" if query else path


def _hashes(page: str) -> list[str]:
    """Return the hashes of the inline scripts of a page, as a CSP names them."""
    digests = (sha256(script.encode()).digest() for script in _INLINE.findall(page))
    return [f"'sha256-{b64encode(digest).decode()}'" for digest in digests]


def _cookies(header: str) -> dict[str, str]:
    """Return the cookies without decoding, since our own needs no quotes.

    `http.cookies` takes quadratic time over backslashes (CVE-2024-7592), before anyone is admitted.
    """
    pairs = (part.strip().partition("=") for part in header.split(";"))
    return {name: value for name, _, value in pairs}


def _same(first: str, second: str) -> bool:
    return compare_digest(first.encode(), second.encode())


async def _welcome(send: Send, cookie: str, path: str) -> None:
    """Set the cookie and redirect from a page of the app, so that the browser sends the cookie."""
    goal = in_html(path)
    body = (
        f'<meta http-equiv="refresh" content="0;url={goal}"><title>HierDP</title>'
        f'<a href="{goal}">Open HierDP</a>'
    )
    # Scripts cannot read the cookie, requests from other sites do not send it, and it is worthless
    # after this server has ended.
    kept = f"{cookie}; Path=/; Max-Age={_WEEK}; HttpOnly; SameSite=Strict"
    given = [("set-cookie", kept)] if cookie else []
    await _answer(send, 200, body, [*given, ("cache-control", "no-store")])


async def _refuse(scope: Scope, send: Send, why: str) -> None:
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 1008, "reason": why[:100]})
        return
    # A link from another site comes without the cookie; one from here brings it.
    again = '<a href="">Open HierDP</a>' if why is _NO_WAY_IN else ""
    await _answer(send, 403, f"<title>HierDP</title><p>{in_html(why)}</p>{again}")


async def _answer(
    send: Send, status: int, body: str, headers: Iterable[tuple[str, str]] = ()
) -> None:
    page = f'<!doctype html><html lang="en"><meta charset="utf-8">{body}</html>'.encode()
    pairs = (
        ("content-type", "text/html; charset=utf-8"),
        ("content-length", str(len(page))),
        *headers,
    )
    await send(
        {
            "type": "http.response.start",
            "status": status,
            "headers": [(name.encode(), value.encode("latin-1")) for name, value in pairs],
        }
    )
    await send({"type": "http.response.body", "body": page})


def origin_of(address: str) -> str:
    """Return the origin of an address: its scheme, host and port.

    >>> origin_of("https://stats.example.org/hierdp/?a=1")
    'https://stats.example.org'
    """
    parts = urlsplit(address)
    return f"{parts.scheme}://{parts.netloc}".lower()
