"""Maps: boundaries, Voronoi cells if only centroids are known, and tiles if nothing is known."""
