"""A launcher in the user's menu, tested on Linux but not on Windows or macOS."""

import os
import plistlib
import shutil
import subprocess
import sys
from pathlib import Path

from hierdp_core.desktop.window import ICON
from hierdp_core.exceptions import ChoiceError

_COMMENT = "See how differential privacy changes hierarchical statistics"


def make(platform: str = sys.platform) -> Path:
    """Put a launcher of `hierdp --window` into the user's menu, and return its path.

    Raises:
        ChoiceError: the launcher cannot be written.
    """
    makers = {"win32": _windows, "darwin": _mac}
    try:
        return makers.get(platform, _linux)()
    except (OSError, subprocess.CalledProcessError) as error:
        raise ChoiceError(
            f"The launcher cannot be written: {error}. Open the app with `hierdp --window` instead."
        ) from None


def _linux() -> Path:
    """Write a desktop entry of the freedesktop.org specification."""
    data_home = os.environ.get("XDG_DATA_HOME", "")
    home = Path(data_home) if Path(data_home).is_absolute() else Path.home() / ".local" / "share"
    icon = home / "icons" / "hicolor" / "scalable" / "apps" / "hierdp.svg"
    entry = home / "applications" / "hierdp.desktop"
    for file in (icon, entry):
        file.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(ICON, icon)
    lines = (
        "[Desktop Entry]",
        "Type=Application",
        "Name=HierDP",
        f"Comment={_COMMENT}",
        f"Exec={_quoted(sys.executable)} -m hierdp_core --window",
        "Icon=hierdp",
        "Terminal=false",
        "Categories=Science;Education;",
    )
    entry.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return entry


def _quoted(path: str) -> str:
    """Return a path as an argument of the key Exec."""
    escaped = "".join(f"\\{c}" if c in '"`$\\' else c for c in path).replace("%", "%%")
    return f'"{escaped}"'


def _windows() -> Path:
    menu = Path(os.environ["APPDATA"]) / "Microsoft" / "Windows" / "Start Menu" / "Programs"
    link, python = menu / "HierDP.lnk", Path(sys.executable).with_name("pythonw.exe")
    script = (
        "$s=(New-Object -ComObject WScript.Shell).CreateShortcut($env:HIERDP_LINK);"
        "$s.TargetPath=$env:HIERDP_PYTHON;$s.Arguments='-m hierdp_core --window';$s.Save()"
    )
    subprocess.run(
        ["powershell", "-NoProfile", "-Command", script],
        env={**os.environ, "HIERDP_LINK": str(link), "HIERDP_PYTHON": str(python)},
        check=True,
    )
    return link


def _mac() -> Path:
    bundle = Path.home() / "Applications" / "HierDP.app"
    program = bundle / "Contents" / "MacOS" / "hierdp"
    program.parent.mkdir(parents=True, exist_ok=True)
    command = sys.executable.replace("'", "'\\''")
    program.write_text(f"#!/bin/sh\nexec '{command}' -m hierdp_core --window\n", encoding="utf-8")
    program.chmod(0o755)
    about = {
        "CFBundleName": "HierDP",
        "CFBundleExecutable": "hierdp",
        "CFBundleIdentifier": "org.hierdp.app",
        "CFBundlePackageType": "APPL",
    }
    (bundle / "Contents" / "Info.plist").write_bytes(plistlib.dumps(about))
    return bundle
