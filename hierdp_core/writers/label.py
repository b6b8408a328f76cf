"""A privacy label: the guarantee of a release on one card that can be printed."""

from hierdp_core.privacy import NOT_COVERED, PrivacyStatement
from hierdp_core.privacy.rounding import GUARANTEE_DIGITS, upper
from hierdp_core.util.escaping import in_html
from hierdp_core.util.text import several

_STYLE = """
.label {font-family: system-ui, sans-serif; max-width: 34rem; border: 2px solid currentColor;
 padding: 0 1rem .75rem; line-height: 1.4; box-sizing: border-box}
.label h2 {font-size: 1.5rem; margin: .5rem 0 0; padding: 0 0 .5rem;
 border-bottom: .5rem solid currentColor}
.label p {margin: .5rem 0}
.label table {width: 100%; border-collapse: collapse; font-size: .95rem}
.label td {padding: .3rem 0; vertical-align: top; border-top: 1px solid rgba(128,128,128,.5)}
.label td:last-child {text-align: right; font-weight: 600; padding-left: 1rem}
.label .caution {border: 2px solid; padding: .5rem; font-weight: 600}
"""


def label(statement: PrivacyStatement, *, title: str, mechanism: str, note: str) -> str:
    """Return the label as a piece of HTML with its own style.

    Args:
        statement: the guarantee.
        title: the title of the data.
        mechanism: the title of the mechanism.
        note: the last line, such as the limits of the label.
    """
    converted = statement.epsilon is not None and statement.rho is not None
    rows = [
        ("Privacy unit", statement.unit),
        ("Neighbouring datasets", f"differ by {statement.difference}"),
        ("Privacy guarantee", statement.guarantee),
        ("ε", _parameter(statement.epsilon)),
        ("δ", _parameter(statement.delta)),
        ("ρ", _parameter(statement.rho)),
        *([("Conversion of ε and ρ", statement.conversion)] if converted else ()),
        *([("As (ε, δ)", approximate)] if (approximate := statement.as_approximate) else ()),
        ("Mechanism", mechanism),
        *(
            (f"Level {level.level}", f"{level.scale}; allocation {level.share}")
            if level.share
            else (f"Also {level.level}", level.scale)
            for level in statement.levels
        ),
        ("Treated as public (not protected)", several(statement.invariants)),
    ]
    if statement.taken_from_data:
        rows.append(("Taken from the data", NOT_COVERED))
    caution = f'<p class="caution">{in_html(statement.caution)}</p>' if statement.caution else ""
    cells = "".join(f"<tr><td>{in_html(a)}</td><td>{in_html(b)}</td></tr>" for a, b in rows)
    return (
        f'<style>{_STYLE}</style><div class="label"><h2>Privacy label</h2>'
        f"<p><b>{in_html(title)}</b></p>{caution}<table>{cells}</table><p>{in_html(note)}</p></div>"
    )


def label_page(body: str) -> str:
    """Return the label as a separate page, to save or to print."""
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        "<title>Privacy label</title></head>"
        f"<body>{body}</body></html>"
    )


def _parameter(value: float | None) -> str:
    return "–" if value is None else upper(value, GUARANTEE_DIGITS)
