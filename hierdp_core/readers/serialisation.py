"""A reading as bytes and back, so that it can leave the process that read the files.

The bytes hold numbers and JSON. They are never unpickled, since the process that wrote them
has read files that may be hostile.
"""

import io
import json
from dataclasses import asdict
from typing import Any

import numpy as np

from hierdp_core.hierarchy import Hierarchy, Regions
from hierdp_core.maps.boundaries import Boundaries, Plane
from hierdp_core.readers.columns.layout import Layout
from hierdp_core.readers.columns.question import Choice, Question
from hierdp_core.readers.report import Finding, Report
from hierdp_core.readers.result import Reading
from hierdp_core.tables import KINDS, Fact, Table


def packed(reading: Reading) -> bytes:
    """Return a reading as bytes."""
    about: dict[str, Any] = {
        "report": reading.report.as_dict(),
        "guesses": reading.guesses,
        "question": None if reading.question is None else asdict(reading.question),
        "unused": reading.unused,
        "preview_rows": reading.preview_rows,
        "title": reading.title,
        "layout": None if reading.layout is None else reading.layout.words,
        "columns": reading.columns,
        "preview": reading.preview,
        "drawn": reading.drawn,
    }
    arrays: dict[str, Any] = {}
    if reading.table is not None:
        about |= _table_words(reading.table)
        arrays |= _table_arrays(reading.table)
    if reading.boundaries is not None:
        about["shapes"] = reading.boundaries.shapes
        about["map_caption"] = reading.boundaries.caption
        plane = reading.boundaries.plane
        about["plane"] = None if plane is None else asdict(plane)
    parcel = io.BytesIO()
    text = np.frombuffer(json.dumps(about).encode(), dtype=np.uint8)
    np.savez(parcel, about=text, **arrays)
    return parcel.getvalue()


def unpacked(parcel: bytes) -> Reading:
    """Return the reading from the bytes that `packed` returned; other bytes raise some error."""
    with np.load(io.BytesIO(parcel), allow_pickle=False) as arrays:
        about = json.loads(arrays["about"].tobytes())
        table = _table(about, arrays) if "kind" in about else None
    report = about["report"]
    findings = tuple(
        Finding(
            **{
                **finding,
                "places": tuple(finding["places"]),
                "choices": _choices(finding["choices"]),
            }
        )
        for finding in report["findings"]
    )
    boundaries = None
    if table is not None and "shapes" in about:
        shapes = tuple(tuple(level) for level in about["shapes"])
        plane = None if about["plane"] is None else Plane(**about["plane"])
        boundaries = Boundaries(
            regions=table.regions,
            shapes=shapes,
            caption=about["map_caption"],
            label="own",
            plane=plane,
        )
    return Reading(
        report=Report(files=tuple(report["files"]), findings=findings),
        guesses=tuple(about["guesses"]),
        question=_question(about["question"]),
        unused=tuple(about["unused"]),
        preview_rows=tuple(about["preview_rows"]),
        title=about["title"],
        layout=None if about["layout"] is None else Layout.of(about["layout"]),
        columns=tuple(about["columns"]),
        preview=tuple(tuple(row) for row in about["preview"]),
        table=table,
        boundaries=boundaries,
        drawn=about["drawn"],
    )


def _question(words: dict[str, Any] | None) -> Question | None:
    if words is None:
        return None
    return Question(what=words["what"], choices=_choices(words["choices"]))


def _choices(listed: list[dict[str, Any]]) -> tuple[Choice, ...]:
    return tuple(
        Choice(words=choice["words"], stated=Layout.parsed(choice["stated"])) for choice in listed
    )


def _table_words(table: Table) -> dict[str, Any]:
    regions = table.regions
    return {
        "kind": table.kind,
        "words": table.labels,
        "taken_from_data": [fact.value for fact in table.taken_from_data],
        "levels": regions.levels,
        "ids": regions.ids,
        "names": regions.names,
    }


def _table_arrays(table: Table) -> dict[str, Any]:
    regions = table.regions
    return {
        "parent": regions.tree.parent,
        "level_start": regions.tree.level_start,
        "padded": regions.padded,
        **table.leaf_arrays(),
    }


def _table(about: dict[str, Any], arrays: Any) -> Table:
    regions = Regions(
        tree=Hierarchy(parent=arrays["parent"], level_start=arrays["level_start"]),
        levels=tuple(about["levels"]),
        ids=tuple(about["ids"]),
        names=tuple(about["names"]),
        padded=arrays["padded"],
    )
    taken = [Fact(fact) for fact in about["taken_from_data"]]
    kind = KINDS[about["kind"]]
    return kind.from_leaf_arrays(regions, arrays, taken_from_data=taken, **about["words"])
