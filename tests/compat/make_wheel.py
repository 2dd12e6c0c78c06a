"""make_wheel.py DIRECTORY [NAME VERSION]: writes a tiny pure-Python wheel, which is a zip file with a record of its parts, and prints its path."""

import base64
import hashlib
import pathlib
import sys
import zipfile


def files(name, version):
    info = f"{name}-{version}.dist-info"
    return {
        f"{name}/__init__.py": "def answer():\n    return 42\n",
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name.replace('_', '-')}\nVersion: {version}\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: cove\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{info}/entry_points.txt": f"[console_scripts]\n{name.replace('_', '-')} = {name}:answer\n",
    }


def record_line(path, text):
    digest = base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=").decode()
    return f"{path},sha256={digest},{len(text.encode())}\n"


def main():
    directory, name, version = sys.argv[1:] if len(sys.argv) > 2 else (sys.argv[1], "cove_tiny", "1.0")
    record = f"{name}-{version}.dist-info/RECORD"
    wheel = pathlib.Path(directory) / f"{name}-{version}-py3-none-any.whl"
    parts = files(name, version)
    with zipfile.ZipFile(wheel, "w") as archive:
        for path, text in parts.items():
            archive.writestr(path, text)
        archive.writestr(record, "".join(record_line(*item) for item in parts.items()) + f"{record},,\n")
    print(wheel)


if __name__ == "__main__":
    main()
