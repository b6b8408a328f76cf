"""Files for download and export."""
