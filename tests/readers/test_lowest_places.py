"""Questions about several rows of a region: places below it, and columns of many values."""

from pathlib import Path

from tests.support.answers import offered, read_text, total


def _stations() -> str:
    lines = ["state,ward,polling unit,registered voters"]
    for ward in range(12):
        lines += [
            f"State {ward // 4},Ward {ward},Hall {chr(65 + k)} {ward},{301 + 37 * ward + 5 * k}"
            for k in range(3 + ward % 2)
        ]
    return "\n".join(lines)


def test_places_with_a_row_each_are_offered_as_the_lowest_level(tmp_path: Path) -> None:
    text = _stations()
    answers = offered(read_text(tmp_path, text))
    assert answers[0] == {"levels": ("state", "ward", "polling unit")}
    assert not [answer for answer in answers if "keep" in answer]
    reading = read_text(tmp_path, text, **answers[0])
    assert total(reading) == sum(int(line.split(",")[-1]) for line in text.split("\n")[1:])


def test_no_single_value_of_dozens_is_offered(tmp_path: Path) -> None:
    lines = ["county,town,type of trade,jobs"]
    for town in range(10):
        lines += [
            f"County {town // 5},Town {town},Trade {chr(65 + k)}{chr(75 + k % 9)},{k * 7 + town}"
            for k in range(25)
            if (k + town) % 3
        ]
    answers = offered(read_text(tmp_path, "\n".join(lines)))
    assert {"add_up": True} in answers
    assert not [answer for answer in answers if "keep" in answer]


def test_a_sum_among_the_answers_is_in_the_question(tmp_path: Path) -> None:
    text = "town,men,women,homes\n" + "\n".join(
        f"Town {k},{40 + 3 * k},{51 + k * k},{33 + 2 * k}" for k in range(9)
    )
    (fault,) = read_text(tmp_path, text).report.faults
    assert [choice for choice in fault.choices if "parts" in choice.stated]
    assert "columns may hold the counts, which may also be a sum of columns" in fault.what
