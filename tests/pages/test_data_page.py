"""Your data: from a file to Overview, with every fault named and nothing kept after "Forget"."""

import json
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest
from support.pages import Opener, press, texts, unbroken

from hierdp_core.readers.limits import PATHS
from hierdp_core.readers.reading import read_here
from hierdp_core.readers.roles import UNUSED, Role
from pages.ui.data import data_words
from pages.ui.shell import session
from pages.ui.shell.session import Key

DATA = "pages/data_page.py"
SHOWN = ("error", "success", "warning", "info")  # beside paragraphs and captions
GOOD = "state,county,people\nA,a,731946\nA,b,2\nB,c,3\n"


def with_files(test: AppTest, *files: tuple[str, str], what: str = "public") -> AppTest:
    test = unbroken(test.radio(key=Key.DATA_WHAT).set_value(what).run())
    loaded = [(name, text.encode(), "text/plain") for name, text in files]
    return unbroken(test.file_uploader[0].set_value(loaded).run())


@pytest.mark.parametrize("script", ["app.py", DATA])
def test_the_first_question_is_what_the_data_is(open_app: Opener, script: str) -> None:
    test = open_app(script)
    if script == "app.py":
        test = test.switch_page(DATA).run()
    unbroken(test)
    assert test.radio(key=Key.DATA_WHAT).value is None
    assert len(test.file_uploader) == 0
    assert data_words.FIRST in texts(test, *SHOWN)
    test = unbroken(test.radio(key=Key.DATA_WHAT).set_value("confidential").run())
    assert data_words.TRUSTED in texts(test, *SHOWN)
    assert [uploader.label for uploader in test.file_uploader][1:] == ["List of areas"]


@pytest.mark.slow
def test_a_file_goes_from_drop_to_explore_and_is_forgotten(open_app: Opener) -> None:
    test = with_files(open_app().switch_page(DATA).run(), ("own.csv", GOOD))
    assert data_words.USABLE in texts(test, *SHOWN)
    assert "state" in texts(test, *SHOWN)
    test = unbroken(press(test, "Use these data in Overview"))
    own = test.session_state[Key.OWN]
    assert own.sample.table.values.tolist()[0] == 731951
    assert not own.confidential
    assert not test.query_params
    assert Key.READING not in test.session_state
    test = open_app(DATA)
    test.session_state[Key.OWN] = own
    test = unbroken(press(unbroken(test.run()), "Delete data"))
    assert Key.OWN not in test.session_state
    assert Key.READING not in test.session_state


@pytest.mark.slow
def test_all_faults_are_named_with_place_and_remedy(open_app: Opener) -> None:
    bad = "state,county,people\nA,a,-1\nA,b,2.5\nB,c,\n"
    test = with_files(open_app(DATA), ("own.csv", bad))
    assert "Correct 3 errors" in texts(test, *SHOWN)
    shown = texts(test, *SHOWN)
    for row, what, remedy in (
        (2, "A count is negative", "remove the row"),
        (3, "A count is not a whole number", "Round it"),
        (4, "A count is blank", "Enter the number or 0"),
    ):
        (line,) = [line for line in shown.splitlines() if what in line]
        assert f'row {row}, column "people"' in line
        assert remedy in line
    assert not [b for b in test.button if b.label.startswith("Use it")]


@pytest.mark.slow
def test_what_the_columns_mean_can_be_said_otherwise(open_app: Opener) -> None:
    table = "zone,persons_2011,persons_2021\nx,100,130\ny,220,210\nz,50,70\n"
    test = with_files(open_app(DATA), ("own.csv", table))
    assert "2 columns may hold the counts" in texts(test, *SHOWN)
    assert test.session_state[Key.READING][0].table is None
    test = unbroken(press(test, 'Column "persons\\_2021" holds the counts'))
    assert test.session_state[Key.READING][0].table.values[0] == 410
    test = unbroken(test.selectbox(key=f"{Key.DATA_COLUMN}count").set_value("persons_2011").run())
    test = unbroken(press(test, data_words.APPLY))
    after = test.session_state[Key.READING][0]
    assert after.layout.count == "persons_2011"
    assert after.table.values[0] == 370


@pytest.mark.slow
def test_a_table_with_a_column_for_each_region_is_turned_by_its_button(open_app: Opener) -> None:
    table = "label,North,South,East,West\npeople,410,520,330,640\nmen,200,260,160,310\n"
    test = with_files(open_app(DATA), ("own.csv", table))
    assert test.session_state[Key.READING][0].table is None
    test = unbroken(
        press(test, "Each column of numbers is an area, and each row is one kind of count")
    )
    assert data_words.USABLE in texts(test, *SHOWN)
    assert test.session_state[Key.READING][0].table.values.tolist() == [1900, 410, 520, 330, 640]


@pytest.mark.slow
def test_names_that_repeat_are_told_apart_by_a_button(open_app: Opener) -> None:
    names = {
        "North": ("Centre", "Ash", "Birch", "Cedar"),
        "East": ("Centre", "Fir", "Hazel", "Larch"),
        "South": ("Centre", "Maple", "Oak", "Ash"),
    }
    towns = [(up, town) for up, below in names.items() for town in below]
    rows = [
        f"{up},{town},{sex},{300 + 17 * k + 5 * (sex == 'women')}"
        for k, (up, town) in enumerate(towns)
        for sex in ("women", "men")
    ]
    test = with_files(open_app(DATA), ("own.csv", "\n".join(["province,town,sex,people", *rows])))
    labels = []
    while test.session_state[Key.READING][0].table is None and len(labels) < 4:
        (question,) = test.session_state[Key.READING][0].report.faults
        wanted = [c for c in question.choices if c.stated.get("within") or c.stated.get("add_up")]
        (label,) = [b.label for b in test.button if b.label == data_words.choice(wanted[0])]
        test = unbroken(press(test, label))
        labels.append(label)
    table = test.session_state[Key.READING][0].table
    assert table.tree.n_leaves == len(towns)
    assert table.values[0] == sum(605 + 34 * k for k in range(len(towns)))
    assert len(labels) == 2


@pytest.mark.slow
def test_a_remedy_has_a_control_that_does_it(open_app: Opener) -> None:
    table = "area;people\nx;1.000\ny;2.000\nz;:\n"
    test = with_files(open_app(DATA), ("own.csv", table))
    for label in (
        "A point separates thousands, so 1.000 is one thousand",
        "Leave out rows without a number",
    ):
        assert test.session_state[Key.READING][0].table is None
        test = unbroken(press(test, label))
    assert data_words.USABLE in texts(test, *SHOWN)
    assert test.session_state[Key.READING][0].table.values[0] == 3000


@pytest.mark.slow
def test_a_file_may_hold_no_counts_and_that_can_be_taken_back(open_app: Opener) -> None:
    rows = "".join(f"town {k},{31 + 17 * k % 23},{12 + 5 * k % 19}\n" for k in range(8))
    test = with_files(open_app(DATA), ("own.csv", f"town,alpha,beta\n{rows}"))
    before = [b.label for b in test.button]
    (none,) = [label for label in before if "and no counts" in label]
    test = unbroken(press(test, none))
    (fault,) = test.session_state[Key.READING][0].report.faults
    assert "holds no counts, as stated" in fault.what
    test = unbroken(press(test, "The file holds counts and is read"))
    assert none in [b.label for b in test.button]


def role_of(test: AppTest, label: str) -> Any:
    (box,) = [
        b for b in test.selectbox if b.label == label and str(b.key).startswith(Key.DATA_ROLE)
    ]
    return box


@pytest.mark.slow
def test_the_role_of_each_column_is_chosen_and_the_result_is_there_at_once(
    open_app: Opener,
) -> None:
    table = "area,part,men,women\nx,1,100,130\nx,2,220,210\ny,1,50,70\ny,2,5,7\n"
    test = with_files(open_app(DATA), ("own.csv", table))
    assert test.session_state[Key.READING][0].table is None
    assert role_of(test, "women").value == UNUSED
    test = unbroken(role_of(test, "women").set_value(Role(word="count")).run())
    reading = test.session_state[Key.READING][0]
    assert reading.layout.count == "women"
    assert role_of(test, "women").value == Role(word="count")
    test = unbroken(role_of(test, "area").set_value(Role(word="levels", place=1)).run())
    test = unbroken(role_of(test, "part").set_value(Role(word="levels", place=2)).run())
    reading = test.session_state[Key.READING][0]
    assert reading.layout.levels == ("area", "part")
    # What was chosen before holds.
    assert reading.layout.count == "women"


@pytest.mark.slow
def test_the_rows_with_errors_are_in_the_preview(open_app: Opener) -> None:
    rows = "".join(f"r{k},{k}\n" for k in range(1, 60))
    test = with_files(open_app(DATA), ("own.csv", f"area,people\n{rows}x,-5\n"))
    assert test.dataframe[0].value["Row"].tolist() == [2, 3, 4, 5, 6, 61]


@pytest.mark.slow
def test_the_whole_and_its_levels_are_named_by_a_person(open_app: Opener) -> None:
    test = with_files(open_app(DATA), ("own.csv", GOOD))
    for word, text in (
        ("root", "Utopia"),
        ("root_level", "country"),
        ("level_names", "land, shire"),
    ):
        test = unbroken(test.text_input(key=f"{Key.DATA_FLAG}{word}").set_value(text).run())
    test = unbroken(press(test, data_words.APPLY))
    regions = test.session_state[Key.READING][0].table.regions
    assert regions.names[0] == "Utopia"
    assert regions.levels == ("country", "land", "shire")


def test_the_example_files_can_be_used_as_they_are(tmp_path: Path) -> None:
    for name, text in data_words.EXAMPLE_FILES.items():
        (tmp_path / name).write_text(text)
        if name != "lookup.csv":
            reading = read_here([tmp_path / name])
            assert reading.table is not None, reading.report.lines()


@pytest.mark.slow
def test_boundaries_come_with_the_table(open_app: Opener) -> None:
    def square(x: int) -> list[list[list[int]]]:
        return [[[x, 0], [x + 1, 0], [x + 1, 1], [x, 1], [x, 0]]]

    features = [
        {"type": "Feature", "properties": {"id": code},
         "geometry": {"type": "Polygon", "coordinates": square(x)}}
        for x, code in enumerate("abc")
    ]  # fmt: skip
    shapes = json.dumps({"type": "FeatureCollection", "features": features})
    test = with_files(open_app(DATA), ("own.csv", GOOD), ("own.geojson", shapes))
    assert "boundaries of own.geojson" in texts(test, *SHOWN)


@pytest.mark.slow
def test_a_path_is_read_only_where_that_was_requested(
    open_app: Opener, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "own.csv").write_text(GOOD)
    monkeypatch.setenv(PATHS, "1")
    test = unbroken(open_app(DATA).radio(key=Key.DATA_WHAT).set_value("public").run())
    test = unbroken(test.text_input(key=Key.DATA_PATH).set_value(str(tmp_path / "own.csv")).run())
    assert data_words.USABLE in texts(test, *SHOWN)
    monkeypatch.delenv(PATHS)
    test = unbroken(open_app(DATA).radio(key=Key.DATA_WHAT).set_value("public").run())
    assert not [box for box in test.text_input if box.key == Key.DATA_PATH]


@pytest.mark.slow
def test_names_of_files_and_columns_are_shown_as_they_are(open_app: Opener) -> None:
    name = "<b>x</b>.csv"
    test = with_files(open_app(DATA), (name, "zo*ne*,n\nx,-1\ny,2\n"))
    assert "<b>" not in texts(test, *SHOWN)
    assert session.Key.READING in test.session_state


@pytest.mark.slow
def test_confidential_data_need_a_list_of_regions_and_confirmed_columns(
    open_app: Opener,
) -> None:
    test = open_app().switch_page(DATA).run()
    test = with_files(test, ("own.csv", GOOD), what="confidential")
    assert "The list of areas is taken from this file" in texts(test, *SHOWN)
    assert not [b for b in test.button if b.label.startswith("Use it")]
    listed = ("list.csv", b"state,county\nA,a\nA,b\nB,c\nB,d\n", "text/plain")
    test = unbroken(test.file_uploader[1].set_value([listed]).run())
    assert "The list of areas is taken" not in texts(test, *SHOWN)
    assert "The levels are guessed" in texts(test, *SHOWN)
    test = unbroken(press(test, data_words.APPLY))
    assert data_words.USABLE in texts(test, *SHOWN)
    test = unbroken(press(test, "Use these data in Overview"))
    own = test.session_state[Key.OWN]
    assert own.confidential
    assert own.sample.table.taken_from_data == ()
    assert own.sample.table.regions.ids[-1] == "d"


@pytest.mark.slow
def test_what_was_stated_about_the_columns_holds_when_a_list_is_added(open_app: Opener) -> None:
    test = with_files(open_app(DATA), ("own.csv", GOOD), what="confidential")
    test = unbroken(press(test, data_words.APPLY))
    assert "The levels are guessed" not in texts(test, *SHOWN)
    listed = ("list.csv", b"state,county\nA,a\nA,b\nB,c\n", "text/plain")
    test = unbroken(test.file_uploader[1].set_value([listed]).run())
    assert data_words.USABLE in texts(test, *SHOWN)


@pytest.mark.slow
def test_households_need_a_maximum_size_where_they_are_confidential(open_app: Opener) -> None:
    persons = "state,county,household\nA,a,1\nA,a,1\nA,b,1\nB,c,2\n"
    test = with_files(open_app(DATA), ("own.csv", persons), what="confidential")
    assert "The maximum group size is taken from this file" in texts(test, *SHOWN)
    listed = ("list.csv", b"state,county\nA,a\nA,b\nB,c\n", "text/plain")
    test = unbroken(test.file_uploader[1].set_value([listed]).run())
    test = unbroken(test.number_input(key=f"{Key.DATA_FLAG}largest").set_value(7).run())
    test = unbroken(press(test, data_words.APPLY))
    assert data_words.USABLE in texts(test, *SHOWN)
    table = test.session_state[Key.READING][0].table
    assert table.n_sizes == 8
    assert not table.empty_groups
