"""What the pages share: the frame, the state, the inputs, the words and the work."""
