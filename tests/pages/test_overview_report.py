"""Overview as one file: what is in it, and that it fetches nothing."""

import re

from streamlit.testing.v1 import AppTest


def _script() -> None:
    import time

    import streamlit as st

    from pages.ui.overview import report
    from pages.ui.shell import address, work

    address.arrive("Overview", None)
    view = address.view()
    drawn = work.one_simulation(view.settings)
    explored, job = work.simulations(view, drawn)
    while job is not None and job.look():  # a slow machine makes fewer simulations at first
        time.sleep(0.02)
    explored, _ = work.simulations(view, drawn)
    st.session_state["html"] = report.html(view, drawn, explored, "http://127.0.0.1/?a=b")


def report_of(**query: str) -> str:
    test = AppTest.from_function(_script, default_timeout=60)
    for name, value in query.items():
        test.query_params[name] = value
    test.run()
    assert not test.exception
    return str(test.session_state["html"])


def test_every_level_has_its_map_and_the_mark_of_true_values() -> None:
    text = report_of(sample="running-example", epsilon="2.0")
    assert text.count("ontains true values: not for publication") >= 4
    title = r"[^<]*at ε = 2, state counts are typically \d+% off, the nation count exact"
    assert re.search(f"<h1>{title}</h1>", text)
    for title in ("Error by level", "<h2>Nation</h2>", "2 states", "largest relative error"):
        assert title in text
    maps = re.findall(r'"type":\s*"choropleth"', text)
    assert len(maps) == 2
    assert "default-src 'none'" in text


def test_tables_have_titles_and_percentages() -> None:
    text = report_of(sample="ri-commuting", mechanism="inftda", epsilon="1.0")
    heads = re.findall(r"<th[^>]*>([^<]*)</th>", text)
    assert {"Relative error", "True count", "Simulated"} <= set(heads)
    assert not [head for head in heads if "_" in head or head in ("True", "Name")]
    (largest,) = re.findall(r"largest relative error</h2>.*?<tbody>(.*?)</tbody>", text, re.DOTALL)
    cells = re.findall(r"<td[^>]*>([^<]*)</td>", largest)
    assert any(re.fullmatch(r"\d[\d.]{0,4}%", cell) for cell in cells)
    assert not [cell for cell in cells if re.fullmatch(r"0\.\d{3,}", cell)]


def test_what_is_not_real_stands_above_the_first_number() -> None:
    text = report_of(sample="us-households", epsilon="2.0")
    about = "<b>US households by size, 2010.</b> Each count is a number of households."
    assert about in text.split("<section>")[0]
    assert "household sizes by county are estimates" in text.split("<section>")[0]


def test_a_wrong_claim_stands_on_top() -> None:
    text = report_of(
        sample="running-example",
        mechanism="pgsr-c-chain",
        **{"option.calibration": "published"},
    )
    assert "Do not use it for a release" in text.split("<section>")[0]


def test_a_report_uses_no_control_of_the_app_and_the_allocation_of_the_screen() -> None:
    text = report_of(sample="running-example", epsilon="2.0")
    assert "Classes and colours" in text
    assert "has a switch" not in text
    assert "allocation 1 : 1 → ε 1 each" in text


def test_the_report_defines_its_error_names_what_is_counted_and_ranks_no_zeros() -> None:
    text = report_of(sample="running-example", epsilon="200.0")
    assert "Mean absolute error</b>: the average distance between" in text
    assert "Average error" not in text
    assert "middle 50%, from" in text.lower()
    assert "Relative error of the number of occupied units in one simulated release" in text
    assert "Every state with a true count above 0 has its true count" in text
    assert "the largest 0%" not in text
