"""The page of benchmarks says what was measured, on what, and what was left out."""

from datetime import date

from support import benchmark_page
from support.benchmark_page import Row, Section, alternately, markdown


def section(*, is_long: bool = False) -> Section:
    return Section(
        title="Long" if is_long else "Short",
        about="Two times.",
        first="measuring",
        second="post-processing",
        cases=(),
        is_long=is_long,
    )


def test_a_row_has_both_times_and_their_ratio() -> None:
    row = Row(name="`hay`", table="us-population", first=0.002, second=0.005)
    text = markdown(
        [(section(), [row])],
        left_out=[section(is_long=True)],
        today=date(2030, 1, 2),
        machine="a processor with 4 cores",
        turns=3,
    )
    assert "| `hay` | `us-population` | 2 | 5 | 2.5 |" in text
    assert "2 January 2030" in text
    assert "a processor with 4 cores" in text
    assert "*Long*" in text
    assert "numpy" in text


def test_the_two_sides_take_turns_and_the_first_turn_does_not_count() -> None:
    order: list[str] = []
    first, second = alternately(lambda: order.append("a"), lambda: order.append("b"), turns=2)
    assert order == ["a", "b"] * 3
    assert 0 <= first < float("inf") > second >= 0


def test_the_page_in_the_documentation_names_every_benchmark_and_table() -> None:
    text = benchmark_page.PAGE.read_text(encoding="utf-8")
    for name, about in benchmark_page.other_benchmarks():
        assert f"`{name}` | {about}" in text
    for one in benchmark_page.sections():
        assert one.title in text
    assert "with" in benchmark_page.this_machine()
