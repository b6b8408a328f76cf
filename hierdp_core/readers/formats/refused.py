"""Formats that are not read, recognised by their first bytes, each with a remedy."""

REFUSED = (
    (
        b"version https://git-lfs.github.com/spec/",
        "is a pointer of Git LFS to a file that was not downloaded",
        "Get the file itself, such as with git lfs pull.",
    ),
    (
        b"\xd0\xcf\x11\xe0",
        "is an Excel file in the format from before 2007",
        "Save it as .xlsx or as CSV.",
    ),
    (b"%PDF", "is a PDF", "Save the table as CSV."),
    (b"\x7fELF", "is a program", "Give a table or a boundary file."),
    (b"MZ", "is a program", "Give a table or a boundary file."),
    (b"Rar!", "is a RAR archive", "Unpack it first."),
    (b"7z\xbc\xaf", "is a 7-Zip archive", "Unpack it first."),
    (b"\xfd7zXZ", "is an xz archive", "Unpack it first."),
    (b"BZh", "is a bzip2 archive", "Unpack it first."),
    (b"(\xb5/\xfd", "is a zstd archive", "Unpack it first."),
    (b"\x89PNG", "is a picture", "Give a table or a boundary file."),
    (b"\xff\xd8\xff", "is a picture", "Give a table or a boundary file."),
    (b"ARROW1", "is an Arrow file", "Save it as Parquet or CSV."),
    (
        b"HEADER RECORD*******LIB",
        "is a SAS transport file",
        "Save it as a Stata file or as CSV.",
    ),
    (b"\0" * 12 + b"\xc2\xea\x81\x60", "is a SAS file", "Save it as a Stata file or as CSV."),
)
# Suffixes of files of commands that read a file of fixed widths, and their programs.
COMMANDS = {".do": "Stata", ".dct": "Stata", ".sps": "SPSS", ".sas": "SAS"}
