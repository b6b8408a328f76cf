"""Result in parts: one area of a simulation that is larger than memory, and every level of it."""
