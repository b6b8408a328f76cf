"""Groups of countries in a list of countries, such as the world, continents and income groups."""

import re
from collections.abc import Sequence

from hierdp_core.readers.columns.facts import SheetFacts
from hierdp_core.readers.columns.question import Choice, Question
from hierdp_core.readers.columns.vocabulary import plain_name, words
from hierdp_core.readers.report import shown_code, shown_codes

_MIN_GROUPS = 2  # groups of countries in the column; a single one may be a country's code
_MIN_OTHERS = 5  # countries beside the groups, so that it is a list of countries
_SHOWN = 4  # groups that a question names
# World Bank, World Development Indicators: codes of its aggregates.
_CODES = words(
    """
    AFE AFW ARB CEB CSS EAP EAR EAS ECA ECS EMU EUU FCS HIC HPC IBD IBT IDA IDB IDX LAC LCN LDC
    LIC LMC LMY LTE MEA MIC MNA NAC OED OSS PRE PSS PST SAS SSA SSF SST TEA TEC TLA TMN TSA TSS UMC
    WLD
    """
)
# Eurostat, GEO: the European Union, the euro area and others, with the number of their members.
_OF_MEMBERS = re.compile("(EU(6|9|10|12|15|25|27|28)|EA(1[1-9]|20)|EEA(28|30|31))(_[0-9]{4})?")
_NAMES = words(
    """
    world monde welt mundo mondo africa europe asia oceania north_america south_america
    latin_america latin_america_and_the_caribbean latin_america_caribbean sub_saharan_africa
    south_asia east_asia_pacific europe_central_asia middle_east_north_africa european_union
    european_union_27 euro_area oecd oecd_members arab_world high_income low_income middle_income
    upper_middle_income lower_middle_income low_middle_income high_income_countries
    low_income_countries upper_middle_income_countries lower_middle_income_countries eu27 eu_27 g7
    g20 americas northern_america more_developed_regions less_developed_regions
    least_developed_countries
    """
)


def country_groups_question(
    facts: SheetFacts, level: str, left_out: Sequence[str]
) -> Question | None:
    """Ask a question if a list of countries contains groups of countries, which count people twice.

    Args:
        facts: facts about the table.
        level: the column of countries.
        left_out: conditions on rows that a person leaves out, each "COLUMN=VALUE".
    """
    dropped = {pair.partition("=")[2] for pair in left_out if pair.startswith(f"{level}=")}
    cells = [cell for cell in facts[level].filled.to_pylist() if cell not in dropped]
    groups = [cell for cell in cells if _names_a_group(cell)]
    of_members = [cell for cell in groups if _OF_MEMBERS.fullmatch(cell)]
    known = any(cell in ("WLD", "EUU", "HIC") or plain_name(cell) in _NAMES for cell in groups)
    enough = of_members or (known and len(groups) >= _MIN_GROUPS)
    if not enough or len(cells) - len(groups) < _MIN_OTHERS:
        return None
    shown = shown_codes(groups, shown=_SHOWN)
    return Question(
        what=f"column {shown_code(level)} contains groups of countries ({shown}) beside countries "
        "or their regions, so people would be counted twice",
        choices=(
            Choice(
                words=f"leave out the rows of {shown}",
                stated={"leave_out": tuple(f"{level}={group}" for group in groups)},
            ),
        ),
    )


def _names_a_group(cell: str) -> bool:
    return cell in _CODES or bool(_OF_MEMBERS.fullmatch(cell)) or plain_name(cell) in _NAMES
