"""The state of a session: its keys and their values.

The only module that touches the keys of `st.session_state`.
"""

from enum import StrEnum
from typing import Any

import streamlit as st
from streamlit import runtime
from streamlit.runtime.scriptrunner import get_script_run_ctx

WIDGETS = "w-"  # starts the keys of widgets
TURN = "_turn_"  # separates a key from the number of times that the program changed its widget


class Key(StrEnum):
    """Names in `st.session_state`; those of widgets start with "w-".

    A page may define more names in its own folder, since the functions here take any text.
    """

    VIEW = "view"
    OWN = "own-data"
    PAGE = "page"
    ADDRESS = "address"
    NOTICE = "notice"
    ANNOUNCED = "announced"
    LINK = "link"
    TURNS = "turns"
    JOB = "job-"
    MAP = "map-"
    TABLES = "maps-as-tables"
    SETTINGS_FILE = "settings-file"
    SAMPLE = "w-sample"
    MECHANISM = "w-mechanism"
    SIZE = "w-size"
    SIZE_BOX = "w-size-box"
    BUDGET = "w-budget"
    DELTA = "w-delta"
    ACCOUNT = "w-account"
    NOISE = "w-noise"
    PRESET = "w-preset"
    SHARE = "w-share-"
    OPTION = "w-option-"
    FORMATS = "w-formats"
    METHOD = "w-method-"
    QUANTITY = "w-quantity"
    SEED = "w-seed"
    SIMULATIONS = "w-draws"
    STEP = "w-step-"
    ENTER = "w-enter"
    FIND = "w-find"
    AREAS = "w-areas-"
    SCRIPT = "script"
    SCRIPT_PLACE = "script-place"
    OPEN = "open"
    PICKS = "picks"
    PLAY = "w-play"
    LOCAL = "w-local"
    UNPIN = "w-unpin-"
    PIN = "w-pin"
    PROFILE = "w-profile-"
    ZOOM_MAP = "w-zoom-map"
    SIBLING = "w-sibling-"
    FLOW_LEVEL = "w-flow-level-"
    FLOW_SHOWN = "w-flow-shown"
    FLOW_WAY = "w-flow-way"
    FLOW_ARCS = "w-flow-arcs"
    FLOW_MAP = "w-flow-map-"
    MATRIX_LEVEL = "w-matrix-level"
    MATRIX_SHOWN = "w-matrix-shown"
    INSIDE_DATA = "w-inside-data"
    INSIDE_SIZE = "w-inside-size"
    INSIDE_PLACE = "w-inside-place"
    INSIDE_STEP = "w-inside-step"
    INSIDE_TAB = "w-inside-tab"
    MEANING_DELTA = "w-meaning-delta"
    PRIOR = "w-prior"
    PRIVACY_PART = "w-privacy-part"
    LAB_MECHANISM = "w-lab-mechanism"
    LAB_CALIBRATION = "w-lab-calibration"
    LAB_OPTION = "w-lab-option-"
    LAB_PAIR = "w-lab-pair"
    LAB_RUNS = "w-lab-runs"
    LAB_EPSILON = "w-lab-epsilon"
    LAB_SEED = "w-lab-seed"
    WITHOUT = "w-without"
    COMPARE_SAMPLE = "w-compare-sample"
    COMPARE_MECHANISMS = "w-compare-mechanisms"
    COMPARE_BUDGETS = "w-compare-budgets"
    COMPARE_KINDS = "w-compare-kinds"
    COMPARE_DELTA = "w-compare-delta"
    COMPARE_SHARES = "w-compare-shares"
    COMPARE_OWN_SHARES = "w-compare-own-shares"
    COMPARE_OPTIONS = "w-compare-options"
    COMPARE_SIMULATIONS = "w-compare-draws"
    COMPARE_SEED = "w-compare-seed"
    COMPARE_MEASURE = "w-compare-measure"
    COMPARE_GUARANTEE = "w-compare-guarantee-"
    COMPARE_SCALE = "w-compare-scale"
    COMPARE_X = "w-compare-x"
    COMPARE_Y = "w-compare-y"
    PLAN_TARGET = "w-plan-target-"
    PLAN_FIND = "w-plan-find"
    PLAN_DELTA = "w-plan-delta"
    PLAN_RELIABILITY = "w-plan-reliability"
    PLAN_MOST = "w-plan-most"
    PLAN_SYNTHETIC = "w-plan-stand-in"
    PLAN_TOTAL = "w-plan-total"
    PLAN_FRESH = "w-plan-fresh"
    PLAN_GIVEN = "w-plan-given"
    PLAN_ASK = "w-plan-ask"
    PLAN_GUARD = "w-plan-guard"
    PLAN_WEIGHT = "w-plan-weight-"
    PLAN_CURVE = "w-plan-curve-"
    PLAN_PICK = "w-plan-pick"
    LEARN_DONE = "lessons-done"
    LEARN_NUMBER = "w-learn-number"
    LEARN_TEACHER = "w-learn-teacher"
    LEARN_STUDENTS = "w-learn-students"
    LEARN_LESSON = "w-learn-lesson"
    LEARN_FIELD = "w-learn-field-"
    LEARN_KEY = "w-learn-key"
    LEARN_CODES = "w-learn-codes-"
    RULE = "w-rule"
    RULE_LEVEL = "w-rule-level"
    RULE_PARAMETER = "w-rule-parameter-"
    RULE_SIMULATIONS = "w-rule-draws"
    RULE_PRESET = "w-rule-preset"
    RULE_BESIDE = "w-rule-beside"
    RULE_TABLE = "w-rule-table"
    DECIDE_TAB = "w-decide-tab"
    READING = "reading"
    READING_NUMBER = "reading-number"
    DATA_WHAT = "data-what"
    DATA_FILES = "data-files-"
    DATA_REGIONS = "data-regions-"
    DATA_PATH = "data-path"
    DATA_KIND = "w-data-kind"
    DATA_ROW = "w-data-row-"
    DATA_COLUMN = "w-data-column-"
    DATA_FLAG = "w-data-flag-"
    DATA_CHOICE = "w-data-choice-"
    DATA_ROLE = "w-data-role-"


def get(key: str) -> Any:
    """Return the value under `key`, or None."""
    return st.session_state.get(identity(key))


def put(key: str, value: Any) -> None:
    """Set a value; the value of a widget only before it is drawn, or in a callback."""
    now = identity(key)
    if now in st.session_state and st.session_state[now] != value:
        _replace_widget(key)
    st.session_state[identity(key)] = value


def seeded(key: str, value: Any) -> str:
    """Store `value` under `key` unless there is a value already, and return `key`."""
    if identity(key) not in st.session_state:
        st.session_state[identity(key)] = value
    return key


def identity(key: str) -> str:
    """Return the key that a widget has in Streamlit, which changes when the program changes it.

    A browser reports the values of all its widgets with each message. Until it has drawn a changed
    widget, it reports the old value, which would undo the change. With another key, the old widget
    is no longer part of the page, and its value is ignored.
    """
    turn = _turns().get(key) if key.startswith(WIDGETS) else None
    return f"{key}{TURN}{turn}" if turn else key


def in_browser() -> bool:
    """Return whether a browser shows the page, not a test."""
    return bool(st.context.url)


def forget(key: str) -> None:
    """Delete a value; a widget with this key is reset."""
    now = identity(key)
    if now in st.session_state:
        _replace_widget(key)
        st.session_state.pop(now, None)


def taken(key: str) -> Any:
    """Return the value under `key` and delete it."""
    value = get(key)
    forget(key)
    return value


def keys(prefix: str) -> list[str]:
    """Return the keys that start with `prefix`."""
    names = (str(key).split(TURN)[0] for key in st.session_state)
    return [key for key in dict.fromkeys(names) if key.startswith(prefix)]


def forget_widgets(prefix: str = WIDGETS) -> None:
    """Reset every widget whose key starts with `prefix`."""
    for key in keys(prefix):
        forget(key)


def _turns() -> dict[str, int]:
    """Return how often the program has changed each widget."""
    turns: dict[str, int] = st.session_state.get(Key.TURNS) or {}
    return turns


def _replace_widget(key: str) -> None:
    """Give the widget of `key` another identity from now on, in a browser."""
    if key.startswith(WIDGETS) and in_browser():
        before, turns = identity(key), _turns()
        st.session_state[Key.TURNS] = turns | {key: turns.get(key, 0) + 1}
        st.session_state.pop(before, None)


def visitor() -> str | None:
    """Return the id of this session; None outside a session."""
    context = get_script_run_ctx(suppress_warning=True)
    return None if context is None else context.session_id


def is_there(session_id: str) -> bool:
    """Return whether the visitor of a session has the page open; True without a server."""
    return not runtime.exists() or runtime.get_instance().is_active_session(session_id)


def left() -> bool:
    """Return whether the visitor of this session has closed the page or lost the connection."""
    own = visitor()
    return own is not None and not is_there(own)


def notice() -> str | None:
    """Return the error of the link and delete it; None if there is none."""
    text: str | None = taken(Key.NOTICE)
    return text


def tell(text: str) -> None:
    """Store a message for the next run."""
    put(Key.NOTICE, text)
