"""The figures of group sizes on their way from the noise to the release."""

import numpy as np
import pytest

from hierdp_core.figures import cumulative
from hierdp_core.metrics import earth_movers_distance
from pages.ui import words

TRUE = np.array([0, 100, 0, 0, 0, 0])
FIVE = np.array([0, 0, 0, 0, 0, 100])


class TestCumulative:
    # SPEC 4: 100 groups of size 1 against 100 of size 5.
    def test_the_area_is_the_earth_movers_distance(self) -> None:
        frame = cumulative.curves(TRUE, FIVE)
        assert cumulative.distance(frame) == 400
        assert cumulative.distance(frame) == earth_movers_distance(TRUE[None], FIVE[None])[0]

    def test_the_drawn_area_is_that_too(self) -> None:
        true, released = np.array([3, 1, 0, 5]), np.array([2, 0, 4, 4])
        frame = cumulative.curves(true, released)
        line = next(
            t for t in cumulative.picture(frame, group="x").data if t.name == "released − true"
        )
        area = (np.abs(line.y[:-1]) * np.diff(line.x)).sum()
        assert line.line.shape == "hv"
        assert area == cumulative.distance(frame) > 0

    def test_noisy_is_drawn_where_there_is_any(self) -> None:
        without = cumulative.picture(cumulative.curves(TRUE, FIVE), group="x")
        noisy = TRUE.cumsum() - 7
        frame = cumulative.curves(TRUE, FIVE, noisy)
        names = [t.name for t in cumulative.picture(frame, group="x").data]
        assert [t.name for t in without.data] == ["true", "released", "released − true"]
        assert {"noisy", "noisy − true"} < set(names)
        assert "off by 7" in cumulative.alt(frame, region="Here", group="units")
        assert cumulative.table(frame)["noisy"].tolist() == noisy.tolist()

    def test_many_sizes_have_a_logarithmic_axis_that_begins_at_0(self) -> None:
        rows = np.ones((2, 5001), dtype=np.int64)
        frame = cumulative.curves(*rows)
        figure = cumulative.picture(frame, group="x")
        assert figure.layout.xaxis.type == "log"
        assert list(figure.layout.xaxis2.ticktext[:3]) == ["0", "1", "3"]
        x = figure.data[0].x
        assert (x[0], x[-1]) == (1, 5002)
        assert len(x) < 500
        assert "of 5,001 sizes are drawn" in cumulative.axis_note(frame)
        assert len(cumulative.table(frame)) < 30
        assert cumulative.table(frame)["true"].iloc[-1] == 5001

    def test_few_sizes_have_a_plain_one(self) -> None:
        frame = cumulative.curves(TRUE, FIVE)
        assert cumulative.picture(frame, group="x").layout.xaxis.type != "log"
        assert cumulative.axis_note(frame) == ""
        names = cumulative.table(frame)["size"].tolist()
        assert (names[0], names[-1]) == ("at most 0", "any")

    def test_the_text_tells_the_worst_place(self) -> None:
        text = cumulative.alt(cumulative.curves(TRUE, FIVE), region="Here", group="units")
        assert "units of Here" in text
        assert "most at size 1 (−100)" in text


class TestWords:
    @pytest.mark.parametrize(
        ("distance", "released", "said"),
        [
            (0, 100, "the same"),
            (400, 100, "**400**, the earth mover’s distance: so many people would have to"),
            (400, 90, "Part of it is 10 homes too few"),
        ],
    )
    def test_the_area(self, distance: float, released: float, said: str) -> None:
        text = words.area_line(
            distance, 100, released, name="Texas", group="homes", people="people"
        )
        assert said in text
        assert ("4 for each of the 100 homes" in text) == bool(distance)

    def test_why_there_is_no_noisy_curve(self) -> None:
        assert "no share" in words.no_noisy_curve("state", 0)
        assert "other numbers" in words.no_noisy_curve("state", 2)
