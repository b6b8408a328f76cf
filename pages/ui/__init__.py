"""What the pages share: the frame, the state, the inputs, the words and the work."""

ICON = "🗺️"  # an emoji: an icon by name would be fetched from the network
SIDEBAR = 256  # pixels
