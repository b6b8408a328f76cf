"""A visitor's own data: reading them, bringing them into the session, deleting them."""

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
    """Bring a visitor's own data into their session, instead of earlier ones."""
    forget()
    session.put(Key.OWN, brought)
    address.keep(address.view().with_sample(OWN))


def forget() -> None:
    """Delete the visitor's own data, and everything that was made from them."""
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
    """Return the table that was read on Your data and is not used yet, or None."""
    read: tuple[Any, ...] | None = session.get(Key.READING)
    return None if read is None else read[0]


def reading_ticket() -> Any:
    """Return the ticket that identifies the files that were read last."""
    read: tuple[Any, ...] | None = session.get(Key.READING)
    return None if read is None else read[1]


def reading_number() -> int:
    """Return how often files were deleted; each time, the uploader is reset."""
    return int(session.get(Key.READING_NUMBER) or 0)


def stated_words() -> dict[str, Any]:
    """Return the column settings that the visitor stated; all others are guessed."""
    read: tuple[Any, ...] | None = session.get(Key.READING)
    return {} if read is None else dict(read[3])


def n_readings() -> int:
    """Return how often files were read; each time, the controls of their columns are reset."""
    read: tuple[Any, ...] | None = session.get(Key.READING)
    return 0 if read is None else int(read[4])


def layout_stated() -> bool:
    """Return whether the visitor stated the layout of the files that were read last."""
    read: tuple[Any, ...] | None = session.get(Key.READING)
    return read is not None and read[2]


def keep_reading(
    reading: Reading, ticket: Any, *, layout_stated: bool, stated: Mapping[str, Any]
) -> None:
    """Store what was read, and reset the controls of its columns."""
    session.put(Key.READING, (reading, ticket, layout_stated, dict(stated), n_readings() + 1))
    session.forget_widgets(f"{session.WIDGETS}data-")


def forget_reading() -> None:
    """Delete what was read, and the files."""
    session.forget(Key.READING)
    session.forget(f"{Key.DATA_FILES}{reading_number()}")
    session.forget(f"{Key.DATA_REGIONS}{reading_number()}")
    session.forget(Key.DATA_PATH)
    session.put(Key.READING_NUMBER, reading_number() + 1)
