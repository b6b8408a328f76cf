"""The server's door: who comes in, from where, and what browsers receive."""

import asyncio
import gc
import re
import sys
import time
from base64 import b64encode
from collections.abc import Mapping
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from threading import Event
from typing import Any

import pytest
import streamlit

from hierdp_core import samples
from hierdp_core.cli import app_command, main
from hierdp_core.cli.door import PAGES_HERE, Door, Message, Pass
from hierdp_core.cli.serving import Serving, Waiting, chart_scripts, code_scripts, get_ready
from hierdp_core.exceptions import HierdpError

HOST = "127.0.0.1:8501"
HERE = f"http://{HOST}"


async def inside(scope: Any, _: Any, send: Any) -> None:
    """An app that lets everybody in."""
    if scope["type"] == "websocket":
        await send({"type": "websocket.accept"})
        return
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"inside"})


def asked(
    door: Door, path: str = "/", *, kind: str = "http", method: str = "GET", **headers: str
) -> list[Message]:
    """What the door answers."""
    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    async def receive() -> Message:
        return {}

    path, _, query = path.partition("?")
    pairs = {"host": HOST} | headers
    scope = {
        "type": kind,
        "method": method,
        "path": path,
        "query_string": query.encode(),
        "headers": [(name.encode(), value.encode()) for name, value in pairs.items()],
    }
    asyncio.run(door(scope, receive, send))
    return sent


def is_in(answer: list[Message]) -> bool:
    return any(m["type"] == "websocket.accept" or m.get("body") == b"inside" for m in answer)


def headers_of(answer: list[Message]) -> Mapping[str, str]:
    return {name.decode(): value.decode() for name, value in answer[0]["headers"]}


def cookie_of(answer: list[Message]) -> str:
    return headers_of(answer)["set-cookie"].partition(";")[0]


@pytest.fixture
def door() -> Door:
    return Door(app=inside, entry=Pass(cookie="hierdp-8501"))


def token_of(door: Door) -> str:
    assert door.entry is not None
    return door.entry.token


def test_nobody_comes_in_without_the_cookie(door: Door) -> None:
    for kind in ("http", "websocket"):
        assert not is_in(asked(door, kind=kind))
        assert not is_in(asked(door, kind=kind, cookie="hierdp-8501=guessed"))
        assert not is_in(asked(door, "/?token=guessed", kind=kind))
    assert is_in(asked(door, "/_stcore/health"))


def test_the_token_is_exchanged_once_for_a_cookie_that_no_script_reads(door: Door) -> None:
    first = asked(door, f"/explore?sample=us-population&token={token_of(door)}")
    given = headers_of(first)["set-cookie"]
    assert "HttpOnly" in given
    assert "SameSite=Strict" in given
    assert 'url=/explore?sample=us-population"' in first[1]["body"].decode()
    assert token_of(door) not in first[1]["body"].decode()
    assert is_in(asked(door, cookie=cookie_of(first)))
    assert is_in(asked(door, kind="websocket", cookie=cookie_of(first), origin=HERE))
    again = asked(door, f"/?token={token_of(door)}")
    assert again[0]["status"] == 403
    assert "set-cookie" not in headers_of(again)
    # The one who is in may reload the first address.
    assert (
        "refresh"
        in asked(door, f"/?token={token_of(door)}", cookie=cookie_of(first))[1]["body"].decode()
    )


def test_a_class_shares_a_token_and_each_has_a_cookie() -> None:
    door = Door(app=inside, entry=Pass(many=True), hosts=())
    cookies = {cookie_of(asked(door, f"/?token={token_of(door)}")) for _ in range(30)}
    assert len(cookies) == 30
    assert all(is_in(asked(door, cookie=cookie)) for cookie in cookies)


def test_a_post_or_a_socket_does_not_spend_the_token(door: Door) -> None:
    asked(door, f"/?token={token_of(door)}", method="POST")
    asked(door, f"/?token={token_of(door)}", kind="websocket")
    assert "set-cookie" in headers_of(asked(door, f"/?token={token_of(door)}"))


@pytest.mark.parametrize("escape", ["\\", "\\0", '\\"', "\\101"])
@pytest.mark.parametrize("open_to_all", [True, False])
def test_cookies_that_are_slow_to_read_hold_nobody_up(
    door: Door, escape: str, open_to_all: bool
) -> None:
    door = replace(door, entry=None) if open_to_all else door
    start = time.process_time()
    for kind in ("http", "websocket"):
        cookie = f'a="{escape * (60_000 // len(escape))}"'
        assert not is_in(asked(door, kind=kind, cookie=cookie))
        asked(door, kind=kind, cookie="a=b;" * 15_000)
    assert time.process_time() - start < 1


def test_cookies_of_others_are_passed_over(door: Door) -> None:
    own = cookie_of(asked(door, f"/?token={token_of(door)}"))
    for others in ('a="x; y"; {}', "{}; b", " {} ;=;c=", 'd="\\073"; {}', "\xff=\xe9; {}"):
        assert is_in(asked(door, cookie=others.format(own)))


STRANGERS = ("http://localhost:9999", "http://127.0.0.1:9999", "http://evil.com", "null", "file://")


@pytest.mark.parametrize("origin", STRANGERS)
@pytest.mark.parametrize("kind", ["http", "websocket"])
@pytest.mark.parametrize("entry", [True, False])
def test_pages_from_elsewhere_are_refused_before_the_app_sees_them(
    door: Door, origin: str, kind: str, entry: bool
) -> None:
    cookie = cookie_of(asked(door, f"/?token={token_of(door)}"))
    door = door if entry else replace(door, entry=None)
    assert not is_in(asked(door, kind=kind, cookie=cookie, origin=origin))
    assert is_in(asked(door, kind=kind, cookie=cookie, origin=HERE))


def test_a_name_that_was_bound_to_this_machine_elsewhere_is_refused(door: Door) -> None:
    open_door = replace(door, entry=None)
    for host in ("evil.com:8501", "127.0.0.1.evil.com", "", "[::1"):
        assert not is_in(asked(open_door, host=host))
    for host in ("localhost:8501", "127.0.0.1", "[::1]:8501"):
        assert is_in(asked(open_door, host=host))


def test_a_second_header_does_not_replace_the_first(door: Door) -> None:
    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    headers = [
        (b"host", HOST.encode()),
        (b"origin", b"http://evil.com"),
        (b"origin", HERE.encode()),
    ]
    scope = {"type": "http", "method": "GET", "path": "/", "headers": headers}
    asyncio.run(replace(door, entry=None)(scope, None, send))  # type: ignore[arg-type]
    assert not is_in(sent)


@pytest.mark.parametrize("path", ["//evil.com", "/\\evil.com", "/a b", '/"><script>'])
def test_the_way_on_stays_on_this_server(door: Door, path: str) -> None:
    body = asked(door, f"{path}?token={token_of(door)}")[1]["body"].decode()
    assert "evil.com" not in body
    assert "<script>" not in body


def test_every_answer_tells_the_browser_what_it_may_do(door: Door) -> None:
    for answer in (asked(door), asked(replace(door, entry=None)), asked(door, host="evil.com")):
        headers = headers_of(answer)
        policy = headers["content-security-policy"]
        assert "default-src 'self'" in policy
        assert "frame-ancestors 'none'" in policy
        assert "http:" not in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"


def test_only_the_scripts_of_the_page_itself_run(door: Door) -> None:
    page = '<script src="a.js"></script><script>\n let x = 1\n</script>'
    policy = headers_of(asked(replace(door, page=page)))["content-security-policy"]
    scripts = policy.partition(";")[0]
    assert scripts.startswith("script-src 'self'")
    assert scripts.count("sha256-") == 1
    assert "unsafe-inline" not in scripts
    assert "'unsafe-eval'" not in scripts


def serving(**how: Any) -> Serving:
    return Serving(script=Path("app.py"), **how)


def test_a_proxy_decides_itself_and_only_its_pages_may_ask() -> None:
    served = serving(proxy="https://stats.example.org/hierdp/")
    door = served.door(served.entry)(inside)
    ours = {"host": "stats.example.org", "origin": "https://stats.example.org"}
    assert is_in(asked(door, "/hierdp/", kind="websocket", **ours))
    assert not is_in(asked(door, host="stats.example.org", origin="https://evil.com"))
    assert not is_in(asked(door, host="evil.com"))
    assert served.options["server.baseUrlPath"] == "hierdp"


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("--no-token", "every user and every program of this machine"),
        ("--host 0.0.0.0", "everyone on the network who has the address"),
        ("--host 0.0.0.0 --no-token", "everyone who can reach this machine"),
        ("--paths", "every file that you can read"),
        ("", ""),
    ],
)
def test_what_a_way_of_serving_opens_is_reported(
    line: str, shown: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(app_command, "serve", lambda _: None)
    assert main([*line.split(), "--no-browser"]) == 0
    output = capsys.readouterr().err
    assert shown in output
    assert bool(output) == bool(shown)


@pytest.mark.parametrize(
    "line",
    ["--paths --host 0.0.0.0", "--paths --proxy https://a.b", "--proxy ftp://a", "--proxy a b"],
)
def test_ways_of_serving_that_do_not_go_together_are_refused(
    line: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(app_command, "serve", lambda _: pytest.fail("it was served"))
    assert main(line.split()) == 2


def framed(door: Door, path: str, host: str, site: str) -> list[Message]:
    """What a frame of a page gets."""
    fetch = {"sec-fetch-site": site, "sec-fetch-dest": "iframe"}
    return asked(door, path, host=host, **fetch)


@pytest.mark.parametrize(
    ("name", "other"), [("127.0.0.1", "localhost"), ("localhost", "127.0.0.1")]
)
def test_a_frame_takes_the_name_of_its_page_before_the_token_is_spent(
    door: Door, name: str, other: str
) -> None:
    door = replace(door, framed_by=PAGES_HERE)
    token = token_of(door)
    sent_on = framed(door, f"/?token={token}", f"{name}:8501", "cross-site")
    assert f'url=http://{other}:8501/?token={token}&amp;renamed=1"'.encode() in sent_on[1]["body"]
    again = framed(door, f"/?token={token}&renamed=1", f"{other}:8501", "cross-site")
    assert f'url=/?token={token}&amp;renamed=1"'.encode() in again[1]["body"]
    for answer in (sent_on, again):
        assert "set-cookie" not in headers_of(answer)
    welcome = framed(door, f"/?token={token}&renamed=1", f"{other}:8501", "same-origin")
    assert b'url=/"' in welcome[1]["body"]
    assert is_in(asked(door, host=f"{other}:8501", cookie=cookie_of(welcome)))


def test_a_frame_is_sent_nowhere_where_none_is_allowed_or_the_name_is_strange(door: Door) -> None:
    path = f"/?token={token_of(door)}"
    assert b"renamed" not in framed(door, path, "localhost:8501", "cross-site")[1]["body"]
    strange = replace(door, framed_by=PAGES_HERE, hosts=())
    answer = framed(strange, "/?token=x", "evil.example:8501", "cross-site")
    assert b"evil" not in answer[1]["body"]


def test_only_the_owner_on_this_machine_lets_pages_frame_the_app(capsys: Any) -> None:
    for more in (["--host", "0.0.0.0"], ["--no-token"], ["--proxy", "https://x.example/"]):
        assert main(["--framed", "--no-browser", *more]) == 2
        assert "--framed is for pages of this machine" in capsys.readouterr().err


def test_a_page_names_the_scripts_that_it_will_need_and_nothing_else_does() -> None:
    async def app(scope: Any, _: Any, send: Any) -> None:
        kind = b"text/html; charset=utf-8" if scope["path"] == "/zoom" else b"text/javascript"
        headers = [(b"content-type", kind)]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": b"inside"})

    early = Door(app=app, entry=None, early=("./static/js/chart.js",))
    output = headers_of(asked(early, "/zoom"))["link"]
    assert output == "<./static/js/chart.js>; rel=modulepreload; crossorigin"
    assert "link" not in headers_of(asked(early, "/static/js/chart.js"))
    locked = replace(early, entry=Pass())
    assert "link" not in headers_of(asked(locked, "/zoom"))


def test_the_script_of_charts_is_there() -> None:
    static = Path(streamlit.__file__).parent / "static"
    (script,) = chart_scripts(static)
    assert script.startswith("./static/js/")
    assert (static / script).stat().st_size > 10**6


def test_a_visitor_who_leaves_is_no_error_of_the_app(door: Door) -> None:
    async def late(scope: Any, receive: Any, send: Any) -> None:
        await receive()
        raise RuntimeError('Cannot call "send" once a close message has been sent.')

    async def broken(scope: Any, receive: Any, send: Any) -> None:
        raise RuntimeError("a fault of the app's own")

    open_door = replace(door, app=late, entry=None)

    def output(app: Any, last: str) -> None:
        async def receive() -> Message:
            return {"type": last}

        async def send(_: Message) -> None:
            pass

        scope = {
            "type": "websocket",
            "method": "GET",
            "path": "/",
            "query_string": b"",
            "headers": [(b"host", HOST.encode())],
        }
        asyncio.run(replace(open_door, app=app)(scope, receive, send))

    output(late, "websocket.disconnect")
    with pytest.raises(RuntimeError, match="close message"):
        output(late, "websocket.receive")
    with pytest.raises(RuntimeError, match="own"):
        output(broken, "websocket.disconnect")


def test_lines_of_the_server_keep_their_colours(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(app_command, "_open", lambda _: sys.stdout.write("\x1b[31mred"))
    assert main([]) == 0
    assert capsys.readouterr().out == "\x1b[31mred"


def test_a_page_runs_the_early_scripts_once_it_shows_something() -> None:
    page = b"<html><head><title>App</title></head><body></body></html>"

    async def app(scope: Any, _: Any, send: Any) -> None:
        kind = b"text/html" if scope["path"] == "/" else b"text/javascript"
        headers = [(b"content-type", kind), (b"content-length", str(len(page)).encode())]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": page, "more_body": True})
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    early = Door(app=app, entry=None, early=("./static/js/chart.js", "./static/js/table.js"))
    answer = asked(early)
    body = b"".join(message.get("body", b"") for message in answer)
    (script,) = re.findall(rb"<script>(.*?)</script></head>", body, re.DOTALL)
    assert b'["./static/js/chart.js", "./static/js/table.js"]' in script
    assert body.replace(b"<script>" + script + b"</script>", b"") == page
    assert headers_of(answer)["content-length"] == str(len(body))
    digest = b64encode(sha256(script).digest()).decode()
    assert f"'sha256-{digest}'" in headers_of(answer)["content-security-policy"]

    other = asked(early, "/chart.js")
    assert other[1]["body"] == page
    assert headers_of(other)["content-length"] == str(len(page))


def test_scripts_of_code_and_tables_are_there() -> None:
    static = Path(streamlit.__file__).parent / "static"
    assert len(code_scripts(static)) == 2
    assert all((static / script).is_file() for script in code_scripts(static))


def test_sessions_wait_until_the_app_is_ready_and_files_do_not() -> None:
    is_ready, reached = Event(), []

    async def app(scope: Any, _: Any, send: Any) -> None:
        reached.append(scope["type"])

    async def visits() -> None:
        waiting = Waiting(app=app, is_ready=is_ready)
        session = asyncio.create_task(waiting({"type": "websocket"}, None, None))  # type: ignore[arg-type]
        await asyncio.sleep(0.05)
        await waiting({"type": "http"}, None, None)  # type: ignore[arg-type]
        assert reached == ["http"]
        is_ready.set()
        await session

    asyncio.run(visits())
    assert reached == ["http", "websocket"]


def test_the_app_opens_also_where_its_first_data_cannot_be_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def missing(*_: Any, **__: Any) -> None:
        raise HierdpError("The sample is missing.")

    monkeypatch.setattr(samples, "load", missing)
    is_ready = Event()
    get_ready(is_ready)
    assert is_ready.is_set()
    assert gc.isenabled()
