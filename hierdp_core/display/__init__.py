"""The display of values in a notebook: a line of text, a card, and charts in one call.

Charts come from the figure functions of the pages, so a notebook shows what the app shows.
"""
