"""The commands of `hierdp`: one module each, with `add`, which makes its parser."""
