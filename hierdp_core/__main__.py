"""`python -m hierdp_core` is `hierdp`."""

from hierdp_core.cli import main

raise SystemExit(main())
