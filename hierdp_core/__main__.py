"""`python -m hierdp_core` is `hierdp`."""

from hierdp_core.cli.main import main

raise SystemExit(main())
