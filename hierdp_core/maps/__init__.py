"""Maps: boundaries, Voronoi cells where there are only centres, tiles where there is neither."""
