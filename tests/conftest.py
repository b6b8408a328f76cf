"""What all tests share."""

import os

from hypothesis import settings

# A slow machine is not a failing one; continuous integration repeats itself exactly.
settings.register_profile("here", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True, print_blob=True)
settings.load_profile("ci" if os.environ.get("CI") else "here")
