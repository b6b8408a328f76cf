"""The figures of group sizes on their way from the noise to the release."""

import numpy as np
import pandas as pd
import pytest

from hierdp_core.evaluation.errors import earth_movers_distance
from hierdp_core.figures.errors import consistency
from hierdp_core.figures.program import group_matching, running_sums
from pages.ui.shell import words

TRUE = np.array([0, 100, 0, 0, 0, 0])
FIVE = np.array([0, 0, 0, 0, 0, 100])


class TestCumulative:
    # 100 groups of size 1 against 100 of size 5.
    def test_the_area_is_the_earth_movers_distance(self) -> None:
        frame = running_sums.curves(TRUE, FIVE)
        assert running_sums.distance(frame) == 400
        assert running_sums.distance(frame) == earth_movers_distance(TRUE[None], FIVE[None])[0]

    def test_the_drawn_area_is_that_too(self) -> None:
        true, released = np.array([3, 1, 0, 5]), np.array([2, 0, 4, 4])
        frame = running_sums.curves(true, released)
        line = next(
            t for t in running_sums.picture(frame, group="x").data if t.name == "released − true"
        )
        area = (np.abs(line.y[:-1]) * np.diff(line.x)).sum()
        assert line.line.shape == "hv"
        assert area == running_sums.distance(frame) > 0

    def test_noisy_is_drawn_where_there_is_any(self) -> None:
        without = running_sums.picture(running_sums.curves(TRUE, FIVE), group="x")
        noisy = TRUE.cumsum() - 7
        frame = running_sums.curves(TRUE, FIVE, noisy)
        names = [t.name for t in running_sums.picture(frame, group="x").data]
        assert [t.name for t in without.data] == ["true", "released", "released − true"]
        assert {"noisy", "noisy − true"} < set(names)
        assert "mean absolute error of 7" in running_sums.alt(frame, region="Here", group="units")
        assert running_sums.table(frame)["noisy"].tolist() == noisy.tolist()

    def test_many_sizes_have_a_logarithmic_axis_that_begins_at_0(self) -> None:
        rows = np.ones((2, 5001), dtype=np.int64)
        frame = running_sums.curves(*rows)
        figure = running_sums.picture(frame, group="x")
        assert figure.layout.xaxis.type == "log"
        assert list(figure.layout.xaxis2.ticktext[:3]) == ["0", "1", "3"]
        x = figure.data[0].x
        assert (x[0], x[-1]) == (1, 5002)
        assert len(x) < 500
        assert "of 5,001 sizes are shown" in running_sums.axis_note(frame)
        assert len(running_sums.table(frame)) < 30
        assert running_sums.table(frame)["true"].iloc[-1] == 5001

    def test_few_sizes_have_a_plain_one(self) -> None:
        frame = running_sums.curves(TRUE, FIVE)
        assert running_sums.picture(frame, group="x").layout.xaxis.type != "log"
        assert running_sums.axis_note(frame) == ""
        names = running_sums.table(frame)["size"].tolist()
        assert (names[0], names[-1]) == ("at most 0", "any")

    def test_the_text_tells_the_worst_place(self) -> None:
        text = running_sums.alt(running_sums.curves(TRUE, FIVE), region="Here", group="units")
        assert "units of Here" in text
        assert "The largest error is −100, at size 1." in text


LEVELS = pd.DataFrame(
    {
        "level": ["nation", "state"],
        "regions": [1, 51],
        "measured": [True, True],
        "before": [12.0, 40.0],
        "after": [12.0, 31.0],
    }
)


class TestConsistency:
    def test_both_bars_of_every_level_and_their_numbers(self) -> None:
        before, after = consistency.picture(LEVELS, unit="people").data
        assert (list(before.x), list(after.x)) == ([12, 40], [12, 31])
        assert list(after.text) == ["12", "31"]
        assert "state from 40 to 31" in consistency.alt(LEVELS, unit="people")
        assert len(consistency.table(LEVELS)) == 2

    def test_no_error_at_all_has_an_axis(self) -> None:
        figure = consistency.picture(LEVELS.assign(before=0.0, after=0.0), unit="people")
        assert figure.layout.xaxis.range[1] > 0


def pairs(*rows: tuple[int, int, int, int, int, bool]) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=["child", "above", "below", "merged", "groups", "kept"])


PAIRS = pairs((1, 0, 4, 1, 3, True), (2, 0, 2, 0, 1, True), (2, 0, 5, 1, 12, True))


class TestMatching:
    def picture(self, rows: pd.DataFrame, sizes: list[int]) -> list[dict[str, object]]:
        figure = group_matching.picture(
            rows, sizes, above="Nation", below="State", group="u", most=12
        )
        return [trace.to_plotly_json() for trace in figure.data]

    def test_a_line_goes_from_the_parent_s_size_by_the_merged_to_the_child_s(self) -> None:
        rows = PAIRS[PAIRS["child"] == 2]
        traces = self.picture(rows, [0, 1, 2, 4, 5])
        lines = [t for t in traces if t["mode"] == "lines"]
        assert [list(line["x"]) for line in lines] == [[0, 0, 2, None], [0, 1, 4, None]]
        assert [list(line["y"]) for line in lines] == [[2, 1, 0, None]] * 2
        thin, wide = (line["line"]["width"] for line in lines)
        assert thin < wide

    def test_marks_say_how_many_groups_while_there_are_few(self) -> None:
        rows = PAIRS[PAIRS["child"] == 2]
        top, merged, below = self.picture(rows, [0, 1, 2, 4, 5])[-3:]
        assert [list(t["x"]) for t in (top, merged, below)] == [[0], [0, 1], [2, 4]]
        assert [t.strip() for t in top["text"]] == ["13"]
        assert merged["mode"] == "markers+text"
        assert self.picture(rows, list(range(12)))[-1]["mode"] == "markers"

    def test_pictures_side_by_side_share_an_axis_where_all_is_drawn(self) -> None:
        assert group_matching.axes(PAIRS, [1, 2]) == [[0, 1, 2, 4, 5]] * 2
        left_out = pd.concat([PAIRS, pairs((1, 9, 9, 9, 1, False))])
        assert group_matching.axes(left_out, [1, 2]) == [[0, 1, 4], [0, 1, 2, 5]]

    def test_nothing_drawn_is_a_picture_too(self) -> None:
        none = PAIRS[PAIRS["child"] == 7]
        assert group_matching.most_groups(none) == 0
        assert [t["mode"] for t in self.picture(none, [])] == ["markers+text"] * 3
        assert "has no u" in group_matching.alt(none, above="Nation", below="State", group="u")

    def test_table_and_text_say_everything(self) -> None:
        rows = PAIRS[PAIRS["child"] == 2]
        table = group_matching.table(rows, above="Nation", below="State")
        assert table["groups"].tolist() == [12, 1]
        text = group_matching.alt(rows, above="Nation", below="State", group="u")
        assert "12 u: size 0 in Nation, 5 in State, merged 1" in text


class TestWords:
    def test_before_and_after(self) -> None:
        text = words.consistency_line(LEVELS, people="people")
        assert "For a state on average, it goes from 40 to **31**." in text
        assert "For the nation, it stays at 12." in text
        assert words.unmeasured_line(LEVELS) == ""
        assert "nation" in words.unmeasured_line(LEVELS.assign(measured=[False, True]))

    def test_what_is_left_out_of_a_picture(self) -> None:
        assert "picture shows" not in words.left_out_line(PAIRS, group="homes")
        text = words.left_out_line(PAIRS.assign(kept=[False, True, True]), group="homes")
        assert "the 2 of 3 pairs of sizes with the most homes, 13 of 16" in text

    @pytest.mark.parametrize(
        ("distance", "released", "shown"),
        [
            (0, 100, "the same"),
            (400, 100, "**400**, the earth mover’s distance. This many people would have to"),
            (400, 90, "number of homes is too low by 10. Empty homes do not add to the distance."),
        ],
    )
    def test_the_area(self, distance: float, released: float, shown: str) -> None:
        text = words.area_line(
            distance, 100, released, name="Texas", group="homes", people="people"
        )
        assert shown in text
        assert ("4 for each of the 100 homes" in text) == bool(distance)

    def test_a_small_area_is_one_in_so_many(self) -> None:
        text = words.area_line(
            40, 116_716_292, 116_716_292, name="US", group="housing units", people="people"
        )
        assert "That is one for every 2,917,907 of the 116,716,292 housing units." in text
        assert "0.000" not in text

    def test_why_there_is_no_noisy_curve(self) -> None:
        assert "no budget" in words.no_noisy_curve("state", 0)
        assert "other counts" in words.no_noisy_curve("state", 2)
