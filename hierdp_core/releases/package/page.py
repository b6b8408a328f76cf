"""The certificate as one page of HTML, to read and to print; it loads no other file."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from hierdp_core.releases.package.certificate import MARK_OF_PAPER
from hierdp_core.releases.package.tables import NEAR_MARGINS
from hierdp_core.tables.checks import totals_kept
from hierdp_core.util.escaping import in_html
from hierdp_core.util.text import confidence, paragraph, several

_STYLE = """
body {font-family: system-ui, sans-serif; max-width: 52rem; margin: 2rem auto; line-height: 1.45;
 padding: 0 1rem; color: #1a1a1a; background: #fff}
h1 {font-size: 1.5rem} h2 {font-size: 1.1rem; margin-top: 1.5rem}
table {border-collapse: collapse; width: 100%; font-size: .85rem}
th, td {text-align: left; padding: .2rem .5rem; border-bottom: 1px solid #bbb; vertical-align: top}
td.number, th.number {text-align: right} code {font-size: .8rem; overflow-wrap: anywhere}
.caution {border-left: .3rem solid #b45309; padding-left: .75rem}
"""
ARROW = " → "  # between the levels of origins and destinations
_PAIRS = (
    "Each number is the flow of one pair of areas: an origin and a destination on the same level."
)
_YES = {True: "yes", False: "no"}


def certificate_page(values: Mapping[str, Any]) -> bytes:
    """Return the page of a certificate; it does not include the hash of the certificate."""
    title = values["title"] or f"Release of {values['dataset']}"
    sections = (
        _section("Privacy guarantee", _guarantee(values)),
        _section("Treated as public", _public(values)),
        _section("Budget", _budget(values)),
        _section("Mechanism", _mechanism(values)),
        _section("Margins of error", _margins(values)),
        _section("Checks", _checks(values)),
        _section("Ledger", _ledger(values)),
        _section("Files", _files(values)),
    )
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>Certificate: {in_html(title)}</title><style>{_STYLE}</style></head><body>"
        f"<main><h1>Certificate of a differentially private release: {in_html(title)}</h1>"
        f"<p>Dataset {in_html(values['dataset'])}, released {in_html(values['released'])}, release "
        f"<code>{in_html(values['release'])}</code>.</p>{''.join(sections)}</main></body></html>\n"
    ).encode()


def _section(title: str, body: str) -> str:
    return f"<section><h2>{in_html(title)}</h2>{body}</section>"


def _guarantee(values: Mapping[str, Any]) -> str:
    guarantee, chosen = values["guarantee"], values["plan_chosen_on"]
    caution = ' class="caution"' if chosen["basis"] == "the same table" else ""
    return (
        f"<p>{in_html(guarantee['sentence'])}</p><p{caution}>{in_html(chosen['sentence'])}</p>"
        f"<p>{in_html(guarantee['limits'])}</p>"
    )


def _public(values: Mapping[str, Any]) -> str:
    rows = [(one["fact"], one["source"]) for one in values["treated_as_public"]]
    return _table(("Fact", "Source"), rows)


def _budget(values: Mapping[str, Any]) -> str:
    rows = [
        (level["level"], level["share"] or "outside the levels", level["noise"])
        for level in values["budget"]["levels"]
    ]
    if not any(ARROW in name for name, _, _ in rows):
        return _table(("Level", "Allocation", "Noise"), rows)
    flows = [(name, numbers_of_level(name), *rest) for name, *rest in rows]
    return _table(("Level", "What it counts", "Allocation", "Noise"), flows)


def numbers_of_level(name: str) -> str:
    """Return in words what a level of flows counts; empty for another level.

    >>> [numbers_of_level(name) for name in ("all → all", "all → state", "state → all")]
    ['the total', 'all flows to each state', 'all flows from each state']
    >>> numbers_of_level("state → county"), numbers_of_level("county")
    ('flows from each state to each county', '')
    """
    origin, arrow, destination = name.partition(ARROW)
    if not arrow:
        return ""
    if origin == destination == "all":
        return "the total"
    if origin == "all":
        return f"all flows to each {destination}"
    if destination == "all":
        return f"all flows from each {origin}"
    return f"flows from each {origin} to each {destination}"


def _mechanism(values: Mapping[str, Any]) -> str:
    mechanism = values["mechanism"]
    options = several(f"{name} = {word}" for name, word in mechanism["options"].items())
    return (
        f"<p>{in_html(mechanism['title'])} (<code>{in_html(mechanism['id'])}</code>). "
        f"{in_html(mechanism['about'])}</p>"
        f"<p>Paper: {in_html(MARK_OF_PAPER.sub('', mechanism['paper']))}.</p>"
        f"<p>Options: {in_html(options or 'none')}.</p>"
        f"<p>Noise: {in_html(values['noise_source'])}.</p>"
        f"<p>{in_html(values['post_processing'])}</p>"
    )


def _margins(values: Mapping[str, Any]) -> str:
    margins = values["margins"]
    rows = [
        (
            row["level"],
            _class(row["from"], row["to"]),
            f"{row['numbers']:,}",
            "not available"
            if row["median_margin"] is None
            else f"{math.ceil(row['median_margin']):,}",
            f"{math.floor(round(100 * row['within_a_tenth'], 2))}%",
        )
        for row in values["fitness_for_use"]
    ]
    source = (
        f"The margins have a confidence of {confidence(margins['level'])} and come from "
        f"{margins['simulations']:,} simulations of the mechanism on the released table "
        f"({margins['method']}). The method assumes that errors on the exact counts are "
        "distributed like the errors in these simulations."
    )
    head = (
        "Level",
        "Released numbers",
        "How many",
        "Median margin",
        "Of these, with a margin of at most 10% of the number",
    )
    pairs = _PAIRS if margins.get("between_pairs") else ""
    return f"<p>{in_html(paragraph(source, NEAR_MARGINS, pairs))}</p>{_table(head, rows)}"


def _class(low: int, high: int | None) -> str:
    """Return a class of numbers in words.

    >>> _class(0, 0), _class(1, 5), _class(501, None)
    ('0', '1 to 5', '501 or more')
    """
    if high is None:
        return f"{low:,} or more"
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


def _checks(values: Mapping[str, Any]) -> str:
    checks = values["checks"]
    rows = [
        ("Adds up across levels (consistent)", _YES[checks["consistent"]]),
        ("Non-negative integers", _YES[checks["non_negative_integers"]]),
        ("Public totals kept", totals_kept(checks["public_totals_kept"])),
    ]
    return _table(("Check", "Result"), rows)


def _ledger(values: Mapping[str, Any]) -> str:
    ledger = values["ledger"]
    return (
        f"<p>The cost was debited in record {ledger['reserved_number']:,} of the ledger, which has "
        f"the hash <code>{ledger['reserved_hash']}</code>. Record {ledger['number']:,} states that "
        f"the noise was added, and has the hash <code>{ledger['hash']}</code>. A ledger without "
        "these records and hashes is not the ledger of this release.</p>"
    )


def _files(values: Mapping[str, Any]) -> str:
    rows = [(name, digest) for name, digest in values["files"].items()]
    return _table(("File", "SHA-256"), rows)


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    top = "".join(f'<th scope="col">{in_html(cell)}</th>' for cell in head)
    body = "".join(
        "<tr>" + "".join(f"<td>{in_html(str(cell))}</td>" for cell in row) + "</tr>" for row in rows
    )
    return f"<table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>"
