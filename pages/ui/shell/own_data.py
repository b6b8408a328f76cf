"""The life of a visitor's own data: read, brought into the session, forgotten."""

from collections.abc import Mapping
from typing import Any

from hierdp_core.readers import Reading
from hierdp_core.samples.sample import OWN
from hierdp_core.settings import Settings
from pages.ui.shell import address, cache, jobs, session
from pages.ui.shell.address import View
from pages.ui.shell.datasets import Own
from pages.ui.shell.session import Key


def bring(brought: Own) -> None:
    """Take a visitor's own data into their session, in place of any they brought before."""
    forget()
    session.put(Key.OWN, brought)
    address.keep(address.view().with_sample(OWN))


def forget() -> None:
    """Drop the visitor's own data, and all that was made from them."""
    session.forget(Key.OWN)
    jobs.forget_all()
    cache.forget()
    if not session.get(Key.VIEW):
        return
    view = address.view().without_own_data()
    if view.settings.sample == OWN:
        address.go(View(settings=Settings()))
    else:
        address.keep(view)


def reading() -> Reading | None:
    """The table that was read on Your data and is not yet used."""
    read: tuple[Any, ...] | None = session.get(Key.READING)
    return None if read is None else read[0]


def reading_ticket() -> Any:
    """Names the files that were read last."""
    read: tuple[Any, ...] | None = session.get(Key.READING)
    return None if read is None else read[1]


def reading_number() -> int:
    """Counts the times that files were forgotten; the uploader starts anew with each."""
    return int(session.get(Key.READING_NUMBER) or 0)


def stated_words() -> dict[str, Any]:
    """The column settings that the visitor stated; all others are guessed."""
    read: tuple[Any, ...] | None = session.get(Key.READING)
    return {} if read is None else dict(read[3])


def n_readings() -> int:
    """Counts the times that files were read; controls of their columns start anew with each."""
    read: tuple[Any, ...] | None = session.get(Key.READING)
    return 0 if read is None else int(read[4])


def layout_stated() -> bool:
    """Whether the visitor stated what the columns of the files that were read last mean."""
    read: tuple[Any, ...] | None = session.get(Key.READING)
    return read is not None and read[2]


def keep_reading(
    reading: Reading, ticket: Any, *, layout_stated: bool, stated: Mapping[str, Any]
) -> None:
    """Remember what was read; the controls of its columns start anew."""
    session.put(Key.READING, (reading, ticket, layout_stated, dict(stated), n_readings() + 1))
    session.forget_widgets(f"{session.WIDGETS}data-")


def forget_reading() -> None:
    """Drop what was read, and the files with it."""
    session.forget(Key.READING)
    session.forget(f"{Key.DATA_FILES}{reading_number()}")
    session.forget(f"{Key.DATA_REGIONS}{reading_number()}")
    session.forget(Key.DATA_PATH)
    session.put(Key.READING_NUMBER, reading_number() + 1)
