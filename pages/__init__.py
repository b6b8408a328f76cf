"""The pages of the app, one short script each. Their shared code is in `pages.ui`."""
