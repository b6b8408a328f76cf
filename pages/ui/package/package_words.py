"""The words of the page Published release."""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from hierdp_core.releases import Package
from hierdp_core.util.escaping import in_markdown
from hierdp_core.util.text import confidence, paragraph, several, whole

INTRO = (
    "The numbers on this page are released estimates with noise, shown with their margins of "
    "error. Only facts that the guarantee lists as public are exact."
)
UPLOAD = "Upload a package (ZIP)"
UPLOAD_HELP = (
    "Its files are checked against the hashes of its certificate. It stays in this session, and "
    "nobody else sees it."
)
ANOTHER = "Read another package"
CHECKING = "Checking the package"
NOTHING_YET = (
    "Upload the package of a release to read its numbers. `hierdp --package PACKAGE` opens one "
    "that is a folder or larger than 50 MB."
)
UPLOADED = "You uploaded this package. It stays in this session, and nobody else sees it."
NO_UPLOADED_MAP = (
    "Maps of an uploaded package are not shown if other machines can connect to the app. The files "
    "in its folder `maps` open in any geographic information system."
)
COLUMNS = {
    "id": "Code",
    "parent": "Code of the area above",
    "origin": "Code of the origin",
    "origin_name": "Origin",
    "destination": "Code of the destination",
    "destination_name": "Destination",
    "value": "Released",
    "margin": "Margin of error",
    "low": "From",
    "high": "To",
}
FIND = "Type the name of an area to find it."
SUB_AREAS = "Sub-areas"
IN_PARTS = (
    "The lower levels are in the folder `parts` of the package, with one Parquet file for each "
    "area of the last level shown here. The file data-dictionary.csv explains their columns."
)
LARGEST_SIZE = (
    "The file data-dictionary.csv of the package states whether the largest size stands for larger "
    "ones as well."
)
BIAS = (
    "**Bias** is the mean of the simulated minus the released numbers, in the simulations behind "
    "the margins of error. It is not subtracted from the numbers."
)
NO_MAP = "The package has no map of this level."


def heading(package: Package) -> str:
    """Return the title of the release with its date."""
    title, day = in_markdown(package.title), str(package.certificate.get("released", ""))[:10]
    return f"## {title}, released {day}" if day else f"## {title}"


def area(name: str, code: str) -> str:
    """Return the name of an area in a list, with its code if that differs.

    >>> area("Texas", "48"), area("Alder", "Alder")
    ('Texas (48)', 'Alder')
    """
    return name if name == code else f"{name} ({code})"


def drawn(shown: int, of: int, level: str | None) -> str:
    """Return which numbers a chart shows, and where the others are.

    Args:
        shown: the number of numbers in the chart.
        of: the number of all numbers.
        level: the level of the sub-areas in the chart; None if the numbers are those of one area.

    >>> drawn(25, 40, None)
    'The chart shows the first 25 of 40 numbers. The table of all numbers below has the others.'
    >>> drawn(25, 254, "county")
    'The chart shows the 25 largest of 254 numbers. To see all, choose “county” under Level.'
    """
    if level is None:
        return (
            f"The chart shows the first {shown:,} of {of:,} numbers. The table of all numbers "
            "below has the others."
        )
    return (
        f"The chart shows the {shown:,} largest of {of:,} numbers. To see all, choose “{level}” "
        "under Level."
    )


def level_of_margins(package: Package) -> float:
    """Return the level of the margins, such as 0.9."""
    return float(package.certificate["margins"]["level"])


def finding(name: str, row: "pd.Series[Any]", *, level: float) -> str:
    """Return one number with its margin, in one to three sentences."""
    name, value = in_markdown(name), float(row["value"])
    if pd.isna(row["margin"]):
        return f"**{name}**: {whole(value)}. The margin of error of this number is not known."
    margin = float(row["margin"])
    if margin == 0:
        return f"**{name}**: {whole(value)}. This number is treated as public, so it is exact."
    low, high = whole(float(row["low"])), whole(float(row["high"]))
    caution = (
        "The number is not above its margin. Noise may have made it small, and the interval of "
        "such a number contains the true count less often than stated."
    )
    return paragraph(
        f"**{name}**: {whole(value)}, with a margin of error of {whole(margin)}.",
        f"The {confidence(level)} interval goes from {low} to {high}.",
        caution if margin >= value else "",
    )


def margin_map(level: str, *, size: str | None) -> str:
    """Return the title of the map."""
    title = f"Margin of error relative to the released number, by {level}"
    return title if size is None else f"{title}, size {size}"


def facts(certificate: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return the main facts about a release, one row per fact."""
    ledger, margins = certificate["ledger"], certificate["margins"]
    public = [str(one["fact"]) for one in certificate["treated_as_public"]]
    return [
        ("Dataset", str(certificate["dataset"])),
        ("Released", str(certificate["released"])),
        ("Privacy unit", str(certificate["guarantee"]["privacy_unit"])),
        ("Neighbouring datasets differ by", str(certificate["guarantee"]["difference"])),
        ("Treated as public", several(public) or "nothing"),
        ("Plan", str(certificate["plan_chosen_on"]["sentence"])),
        ("Mechanism", str(certificate["mechanism"]["title"])),
        ("Noise", str(certificate["noise_source"])),
        (
            "Margins",
            f"confidence {confidence(margins['level'])}, {margins['simulations']:,} simulations",
        ),
        ("Record of the ledger", f"{ledger['number']:,}, hash {ledger['hash']}"),
    ]
