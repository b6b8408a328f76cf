"""Level names as people say them."""


def plural(noun: str) -> str:
    """The plural of a level's name.

    >>> [plural(w) for w in ("county", "state", "census tract", "branch", "Bay")]
    ['counties', 'states', 'census tracts', 'branches', 'Bays']
    """
    if noun.endswith("y") and noun[-2:-1].lower() not in "aeiou":
        return noun[:-1] + "ies"
    return noun + ("es" if noun.endswith(("s", "x", "ch", "sh")) else "s")
