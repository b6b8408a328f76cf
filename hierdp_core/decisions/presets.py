"""Rules of real programmes and laws, each with its source.

A preset sets a rule, its parameters and the level that it decides about. Most laws count people,
some of them only certain people. `Preset.caveat` states where a table counts something else, so
that nobody takes a result for the decision of the programme.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from hierdp_core.exceptions import ChoiceError
from hierdp_core.tables import Table
from hierdp_core.util.text import join_or


@dataclass(frozen=True, kw_only=True)
class Preset:
    """A rule of a programme or a law.

    Attributes:
        id, title: the names in addresses and on screen.
        rule: the id of the rule.
        parameters: the parameters of the rule, by name.
        levels: names of levels to apply the rule to. The one closest to the areas of the law comes
            first.
        applies_to: the areas of the law, plural.
        counts: what the law counts, plural.
        about: what the law decides, in a sentence.
        source: the passage of the law.
        exact: whether the law counts all people in areas of these levels; otherwise the rule only
            illustrates it.
        country: the name of the root of the tables that the preset is for.
    """

    id: str
    title: str
    rule: str
    levels: tuple[str, ...]
    applies_to: str
    about: str
    source: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    counts: str = "people"
    exact: bool = False
    country: str = "United States"

    def level_in(self, levels: Sequence[str]) -> str | None:
        """Return the level of a table that the preset decides about; None if there is none."""
        return next((level for level in self.levels if level in levels), None)

    def quantity_in(self, table: Table) -> str:
        """Return the id of the quantity of `table` that is closest to what the law counts."""
        titles = {quantity.id: quantity.title for quantity in table.quantities}
        people = (id for id, title in titles.items() if title.split(" (")[0] == "people")
        return next(people, table.quantities[0].id)

    def caveat(self, *, level: str, unit: str) -> str:
        """Return a sentence on how the law and this table differ; empty if they do not.

        Args:
            level: the plural of the level that is decided about.
            unit: what is counted, plural.
        """
        if self.exact and unit == "people" and level == self.applies_to:
            return ""
        comma = "," if " in " in unit or unit.endswith(" area") else ""  # "in flows from the area"
        return (
            f"Illustration: the law counts {self.counts} in {self.applies_to}. Here the rule is "
            f"applied to {unit}{comma} in {level}."
        )


PRESETS = {
    preset.id: preset
    for preset in (
        Preset(
            id="house",
            title="House of Representatives: 435 seats",
            rule="seats",
            parameters={"seats": 435, "method": "huntington-hill"},
            levels=("state",),
            applies_to="states",
            about="The 435 seats are apportioned among the 50 states by the method of equal "
            "proportions (Huntington–Hill).",
            source="2 U.S.C. § 2a",
            exact=True,
        ),
        Preset(
            id="title-i",
            title="Title I school grants: $18.4 billion",
            rule="funding",
            parameters={"money": 18_400_000_000, "tolerance": 0.01},
            levels=("county", "municipality", "state"),
            applies_to="school districts",
            counts="children in low-income families",
            about="US$18.4 billion, the appropriation of fiscal year 2024, is allocated in "
            "proportion to counts. The statutory formula has weights and minimums as well.",
            source="20 U.S.C. § 6333; Public Law 118-47",
        ),
        Preset(
            id="relief-fund",
            title="Coronavirus Relief Fund: above 500,000",
            rule="threshold",
            parameters={"side": "above", "limit": 500_000},
            levels=("county",),
            applies_to="counties",
            about="Local governments with a population above 500,000 could receive payments "
            "directly from the Treasury.",
            source="42 U.S.C. § 801(g)(2)",
            exact=True,
        ),
        Preset(
            id="cdbg-urban-county",
            title="CDBG urban county: 200,000",
            rule="threshold",
            parameters={"side": "at-least", "limit": 200_000},
            levels=("county",),
            applies_to="counties, outside their metropolitan cities",
            about="A county with a population of 200,000 or more qualifies for Community "
            "Development Block Grants as an urban county.",
            source="42 U.S.C. § 5302(a)(6)",
        ),
        Preset(
            id="cdbg-city",
            title="CDBG entitlement community: 50,000",
            rule="threshold",
            parameters={"side": "at-least", "limit": 50_000},
            levels=("city", "place", "municipality", "county"),
            applies_to="cities",
            about="A city with a population of 50,000 or more qualifies for Community Development "
            "Block Grants as an entitlement community.",
            source="42 U.S.C. § 5302(a)(4)",
        ),
        Preset(
            id="language-assistance",
            title="Language assistance: above 10,000",
            rule="threshold",
            parameters={"side": "above", "limit": 10_000},
            levels=("county", "municipality"),
            applies_to="counties",
            counts="voting-age citizens of one language minority with limited English",
            about="Ballots must be offered in a minority language where more than 10,000 citizens "
            "of voting age belong to that minority and have limited English (Voting Rights Act, "
            "section 203). "
            "Other conditions of the law, such as the test of more than 5% of all citizens of "
            "voting age, are not applied here.",
            source="52 U.S.C. § 10503(b)(2)(A)",
        ),
        Preset(
            id="one-person-one-vote",
            title="Districts of equal population: 10%",
            rule="grouping",
            parameters={"limit": 0.1},
            levels=("zone", "municipality", "county", "state"),
            applies_to="districts drawn from census blocks",
            about="A state legislative plan is presumed valid if its largest and its smallest "
            "district differ by less than 10% of the ideal population.",
            source="Brown v. Thomson, 462 U.S. 835, 842 (1983)",
        ),
        Preset(
            id="urban-security",
            title="Urban Area Security: the 100 largest",
            rule="ranking",
            parameters={"k": 100, "end": "largest"},
            levels=("county", "municipality"),
            applies_to="metropolitan areas",
            about="The 100 most populous metropolitan areas are eligible for grants of the Urban "
            "Area Security Initiative.",
            source="6 U.S.C. § 601(5)",
        ),
        Preset(
            id="italy-mayors",
            title="Italian mayoral runoff: above 15,000",
            rule="threshold",
            parameters={"side": "above", "limit": 15_000},
            levels=("municipality",),
            applies_to="municipalities",
            counts="residents",
            country="Italy",
            about="In municipalities with more than 15,000 residents, a runoff decides who "
            "becomes mayor if no candidate has a majority in the first round.",
            source="Legislative Decree 267/2000 (Italy), articles 71–72",
        ),
    )
}


def get_preset(id: str) -> Preset:
    """Return the preset with this id.

    Raises:
        ChoiceError: there is no preset with this id.
    """
    if id not in PRESETS:
        raise ChoiceError(f'There is no preset "{id[:40]}". Choose {join_or(list(PRESETS))}.')
    return PRESETS[id]


def presets_for(table: Table) -> list[Preset]:
    """Return the presets for a level that `table` has, in the order of `PRESETS`.

    If the root is a country with presets, presets of other countries are left out.
    """
    levels, root = table.regions.levels, table.regions.names[0]
    known = root in {preset.country for preset in PRESETS.values()}
    return [
        preset
        for preset in PRESETS.values()
        if preset.level_in(levels) is not None and (preset.country == root or not known)
    ]
