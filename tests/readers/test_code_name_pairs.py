"""Levels of codes and names side by side, whose codes start again in each area above."""

from pathlib import Path

from tests.support.answers import offered, read_text, total

# Province, zone (only in the first province), canton, parish and polling station.
_ZONES = {(4, 3): (1, "Zona Uno"), (4, 7): (2, "Zona Dos")}
_STATIONS = [
    (4, "Azul", 3, "Lirio", "010", 1), (4, "Azul", 3, "Lirio", "010", 2),
    (4, "Azul", 3, "Lirio", "011", 3), (4, "Azul", 7, "Sauce", "020", 4),
    (4, "Azul", 7, "Sauce", "021", 5), (9, "Brillo", 1, "Centro", "001", 1),
    (9, "Brillo", 1, "Centro", "002", 2), (9, "Brillo", 2, "Loma", "010", 3),
    (9, "Brillo", 2, "Loma", "011", 4), (11, "Cumbre", 1, "Playa", "001", 1),
    (11, "Cumbre", 1, "Playa", "001", 2), (11, "Cumbre", 2, "Punta", "005", 3),
]  # fmt: skip
_PARTIES = ((31, "Lista Sol", 90), (35, "Lista Mar", 70), (40, "Lista Pan", 25))


def _votes() -> str:
    head = (
        "provincia_id,provincia_nombre,zona_id,zona_nombre,canton_id,canton_nombre,parroquia_id,"
        "parroquia_nombre,junta_id,lista_id,lista_nombre,votos"
    )
    rows = []
    for k, (province, called, canton, town, parish, board) in enumerate(_STATIONS):
        zone, name = _ZONES.get((province, canton), (0, ""))
        place = f"{province},{called},{zone},{name},{canton},{town},{parish},P{parish},{board}"
        rows += [f"{place},{code},{party},{n + 3 * k}" for code, party, n in _PARTIES]
    return f"{head}\n" + "\n".join(rows)


def _n_votes() -> int:
    return sum(n + 3 * k for k in range(len(_STATIONS)) for _, _, n in _PARTIES)


def test_pairs_of_codes_and_names_are_the_levels_in_their_order(tmp_path: Path) -> None:
    text = _votes()
    first = offered(read_text(tmp_path, text, count="votos"))[0]
    assert first == {
        "levels": ("provincia_id", "canton_id", "parroquia_id", "junta_id"),
        "within": True,
        "names": ("provincia_nombre", "canton_nombre", "parroquia_nombre", "junta_id"),
    }
    reading = read_text(tmp_path, text, count="votos", add_up=True, **first)
    assert total(reading) == _n_votes()
    assert reading.table is not None
    starts = reading.table.regions.tree.level_start
    assert (starts[1:] - starts[:-1]).tolist() == [1, 3, 6, 10, 12]


def test_no_answer_has_a_code_and_its_name_as_two_levels_or_a_level_of_some_areas_on_top(
    tmp_path: Path,
) -> None:
    question = read_text(tmp_path, _votes(), count="votos").question
    assert question is not None
    for choice in question.choices:
        levels = {*choice.stated.get("levels", ())}
        for subject in ("provincia", "zona", "canton", "parroquia", "lista"):
            assert not {f"{subject}_id", f"{subject}_nombre"} <= levels
        assert "zona_id" not in levels
