"""Modules that the pages share: frame, state, inputs, texts and computations."""

ICON = "🗺️"  # an emoji: an icon by name would be fetched from the network
SIDEBAR = 256  # pixels
