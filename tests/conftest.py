"""What all tests share."""

import os

from hypothesis import settings
from support.examples import examples

# A slow machine is not a failing one; continuous integration repeats itself exactly.
USUAL = settings(deadline=None, max_examples=examples(100))
settings.register_profile("here", USUAL)
settings.register_profile("ci", USUAL, derandomize=True, print_blob=True)
settings.load_profile("ci" if os.environ.get("CI") else "here")
