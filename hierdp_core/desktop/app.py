"""`hdp.app(table)`: the app on this table, in a browser tab or in a notebook cell."""

import webbrowser
from dataclasses import dataclass
from typing import Any

from hierdp_core.desktop import handover
from hierdp_core.desktop.server import Server, start
from hierdp_core.exceptions import ChoiceError
from hierdp_core.maps.boundaries import Boundaries
from hierdp_core.tables import Table
from hierdp_core.util.argument_types import typed
from hierdp_core.util.escaping import in_html

_HEIGHT = 820  # pixels of the frame


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class App:
    """An app that was opened on a table.

    Attributes:
        url: the address of the app, without the table.
        first_url: the address that opens the app on the table; it is valid once.
        server: the running app.
        framed: whether the cell shows the app in a frame.
    """

    url: str
    first_url: str
    server: Server
    framed: bool = False

    def stop(self) -> None:
        """End the app. It also ends with the Python process that opened it."""
        self.server.stop()

    def __repr__(self) -> str:
        return f"<App: {self.url}, {'running' if self.server.running else 'stopped'}>"

    def _repr_html_(self) -> str:
        if not self.server.running:
            return f"<div>{in_html(repr(self))}</div>"
        address = in_html(self.first_url)
        link = (
            f'<a href="{address}" target="_blank" rel="noopener">Open HierDP on this table</a> '
            "(the address can be used once)"
        )
        if not self.framed:
            return link
        return (
            f'<iframe src="{address}" title="HierDP" width="100%" height="{_HEIGHT}" '
            f'style="border:0"></iframe><br>{link}'
        )


@typed
def app(
    table: Table,
    *,
    boundaries: Any = None,
    confidential: bool = False,
    browser: bool = True,
    frame: bool = False,
) -> App:
    """Open the app on `table` in a browser tab, or in a frame in the notebook cell.

    The app listens on the loopback address alone, and admits only the browser that opens its first
    address. Other pages cannot show the app in a frame. With `frame`, every page of this machine
    can, on any port. If the notebook runs on another machine or in an editor, the frame stays
    empty, and the link below it opens a tab. The table is passed in a file that only its owner can
    read, under a token that is valid once. So only the session that opened the first address has
    the table, and reloading the page loses it. The app ends with this Python process.

    Args:
        table: the table to show.
        boundaries: `Boundaries`, or a GeoDataFrame with shapes of at least half of the areas of the
            last level; areas without a shape get a tile. By default all areas are tiles.
        confidential: whether to mark every file and picture that the app makes as confidential.
        browser: whether to open a tab of the browser. Otherwise the cell shows the address.
        frame: whether to show the app in the cell, without a tab. The cell must end with the
            result.

    Raises:
        HierdpError: the app does not start.
        ChoiceError: the boundaries belong to other areas, or are not a GeoDataFrame with a
            coordinate system.
        TableError: fewer than half of the areas of the last level have a shape.
    """
    shapes = boundaries
    if boundaries is not None and not isinstance(boundaries, Boundaries):
        shapes = Boundaries.from_geodataframe(boundaries, table.regions)
    elif boundaries is not None and boundaries.regions.ids != table.regions.ids:
        raise ChoiceError(
            "The boundaries belong to other areas than those of the table. Use boundaries that "
            "were read with it, or pass a GeoDataFrame with the shapes of its areas."
        )
    server = start(framed=frame)
    token = handover.give(server.folder, table, shapes, confidential=confidential)
    result = App(
        url=server.url,
        first_url=f"{server.entry}&{handover.WORD}={token}",
        server=server,
        framed=frame,
    )
    if browser and not frame:
        webbrowser.open(result.first_url)
    return result
