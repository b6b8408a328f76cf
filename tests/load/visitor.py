"""A visitor without a browser: one WebSocket to the app, with all that a browser sends back."""

import asyncio
from contextlib import suppress
from dataclasses import dataclass, field
from time import monotonic
from urllib.parse import urlencode

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.asyncio.client import ClientConnection, connect

MOST_BYTES = 64 * 2**20  # of one message


@dataclass(eq=False, kw_only=True)
class Visitor:
    """A session that looks at one page, changes it now and then, and keeps it refreshed.

    Attributes:
        base: the server's address, "http://127.0.0.1:8501".
        page: the page's place in the address; "" for the first.
        cookie: what the door wants; "" for none.
        waits: seconds from a change to the title of its page.
        errors: exceptions that the page showed.
        bytes: received.
    """

    base: str
    page: str = ""
    cookie: str = ""
    waits: list[float] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    bytes: int = 0
    _socket: ClientConnection | None = None
    _query: str = ""
    _asked: float | None = None
    _whole: bool = False
    _titled: asyncio.Event = field(default_factory=asyncio.Event)
    _beats: dict[str, asyncio.Task[None]] = field(default_factory=dict)
    _buttons: dict[str, str] = field(default_factory=dict)
    _listening: asyncio.Task[None] | None = None

    async def arrive(self, query: dict[str, str]) -> None:
        """Open the page."""
        address = self.base.replace("http", "ws", 1) + "/_stcore/stream"
        headers = {"Cookie": self.cookie} if self.cookie else {}
        self._socket = await connect(
            address,
            origin=self.base,  # type: ignore[arg-type]
            subprotocols=["streamlit"],  # type: ignore[list-item]
            additional_headers=headers,
            max_size=MOST_BYTES,
            open_timeout=60,
        )
        self._listening = asyncio.create_task(self._listen())
        await self.ask(query)

    async def ask(self, query: dict[str, str]) -> None:
        """Change what the page shows, as the browser's way back does."""
        self._query = urlencode(query)
        self._asked = monotonic()
        self._titled.clear()
        await self._run()

    async def press(self, beginning: str) -> bool:
        """Press the button whose label begins so; False where there is none."""
        id = next((id for label, id in self._buttons.items() if label.startswith(beginning)), "")
        if id:
            await self._run(button=id)
        return bool(id)

    async def titled(self, seconds: float) -> bool:
        """Wait for the title after a change; False where it does not come."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self._titled.wait(), seconds)
        return self._titled.is_set()

    async def leave(self) -> None:
        """Close the page."""
        for beat in self._beats.values():
            beat.cancel()
        if self._listening is not None:
            self._listening.cancel()
        if self._socket is not None:
            await self._socket.close()

    async def _run(self, *, fragment: str = "", button: str = "") -> None:
        message = BackMsg()
        state = message.rerun_script
        state.query_string = self._query
        state.page_name = self.page
        state.fragment_id = fragment
        state.is_auto_rerun = bool(fragment)
        self._whole = self._whole or not fragment
        if button:
            widget = state.widget_states.widgets.add()
            widget.id, widget.trigger_value = button, True
        assert self._socket is not None
        with suppress(OSError):
            await self._socket.send(message.SerializeToString())

    async def _listen(self) -> None:
        assert self._socket is not None
        try:
            async for data in self._socket:
                self.bytes += len(data)
                if isinstance(data, bytes):
                    message = ForwardMsg()
                    message.ParseFromString(data)
                    self._receive(message)
        except Exception as error:  # noqa: BLE001 -- a visitor who hears nothing more is a failure
            self.errors.append(f"{type(error).__name__}: {error}")

    def _receive(self, message: ForwardMsg) -> None:
        kind = message.WhichOneof("type")
        if kind == "new_session" and self._whole:
            self._whole = False
            self._forget_beats()
        elif kind == "auto_rerun":
            self._beat(message.auto_rerun.fragment_id, message.auto_rerun.interval)
        elif kind == "delta" and message.delta.WhichOneof("type") == "new_element":
            self._see(message.delta.new_element)

    def _see(self, element: object) -> None:
        kind = element.WhichOneof("type")  # type: ignore[attr-defined]
        part = getattr(element, kind) if kind else None
        if kind == "exception":
            self.errors.append(f"{part.type}: {part.message}")  # type: ignore[union-attr]
        elif kind == "button":
            self._buttons[part.label] = part.id  # type: ignore[union-attr]
        elif kind == "heading" and part.tag == "h1" and self._asked is not None:  # type: ignore[union-attr]
            self.waits.append(monotonic() - self._asked)
            self._asked = None
            self._titled.set()

    def _beat(self, fragment: str, seconds: float) -> None:
        async def again() -> None:
            while True:
                await asyncio.sleep(seconds)
                await self._run(fragment=fragment)

        if known := self._beats.pop(fragment, None):
            known.cancel()
        self._beats[fragment] = asyncio.create_task(again())

    def _forget_beats(self) -> None:
        for beat in self._beats.values():
            beat.cancel()
        self._beats.clear()
