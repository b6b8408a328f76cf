"""How values show themselves in a notebook: a line of text, a card, and charts in one call.

Nothing here computes what the app does not show: charts come from the figure functions of the
pages.
"""
