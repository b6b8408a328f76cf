"""The pages of the app, one thin script each; what they share is in `pages.ui`."""
