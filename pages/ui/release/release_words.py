"""The words of the page Release."""

from hierdp_core.mechanisms.base import Tuning

INTRO = (
    "The noise of a release is sampled exactly and without a seed. The cost of the release is "
    "debited from the dataset's budget before any noise is sampled, and it is never refunded. "
    "This page shows no true count."
)
SETTINGS_HELP = (
    "The path of a TOML file, as for `hierdp release`. It states the mechanism, the budget, its "
    "allocation and the columns of the table. It must not state a seed."
)
PATH_HELP = "A path on this machine. The file stays where it is."
REGIONS_HELP = (
    "The path of a list of all areas that does not come from the records. Leave it empty if the "
    "settings file names the list."
)
OUT_HELP = (
    "The path of a new folder, or of a new file that ends in .zip. If this is empty, the package "
    "is written to a new folder called “package” in the folder where HierDP was started."
)
SIGN_HELP = "The path of a private Ed25519 key (PEM) that only you can read."
TUNING = {
    Tuning.NOTHING: "No data",
    Tuning.PUBLIC: "Public data",
    Tuning.SYNTHETIC: "Synthetic data",
    Tuning.EARLIER: "Earlier data",
    Tuning.SAME: "The table that is released",
}
SAME_TABLE = (
    "If the plan was chosen by looking at the table that is released, the guarantee does not cover "
    "what that choice reveals. The certificate will state this."
)
NONE_YET = (
    "The ledger has no dataset. Add one with `hierdp ledger FILE add-dataset NAME --epsilon "
    "NUMBER`."
)
CHANGED = (
    "The ledger has changed since this page was shown, so nothing was released or spent. Read "
    "above what the release now does to the budget, and press Release again."
)
EXPECTED = "Expected margins of error (90%), on a synthetic table of the same shape"


def budget(dataset: str, total: str, balance: str) -> str:
    """Return a dataset's budget, and how much of it is spent and left."""
    return f"The budget of {dataset} is {total}. {balance}"


def confirm(dataset: str) -> str:
    """Return the request for confirmation, which is the label of a field."""
    return f"To release, type the name of the dataset, “{dataset}”."


def done(path: str, balance: str) -> str:
    """Return the path of the package and the balance of the budget."""
    return f"The package is in {path}. {balance}"
