"""Writes a tiny pure-Python wheel, which is a zip file with a record of its parts, into the directory given; prints its path."""

import base64
import hashlib
import pathlib
import sys
import zipfile

NAME = "cove_tiny-1.0"
FILES = {
    "cove_tiny/__init__.py": "def answer():\n    return 42\n",
    f"{NAME}.dist-info/METADATA": "Metadata-Version: 2.1\nName: cove-tiny\nVersion: 1.0\n",
    f"{NAME}.dist-info/WHEEL": "Wheel-Version: 1.0\nGenerator: cove\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    f"{NAME}.dist-info/entry_points.txt": "[console_scripts]\ncove-tiny = cove_tiny:answer\n",
}


def record_line(path, text):
    digest = base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=").decode()
    return f"{path},sha256={digest},{len(text.encode())}\n"


def main():
    record = f"{NAME}.dist-info/RECORD"
    wheel = pathlib.Path(sys.argv[1]) / f"{NAME}-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for path, text in FILES.items():
            archive.writestr(path, text)
        archive.writestr(record, "".join(record_line(*item) for item in FILES.items()) + f"{record},,\n")
    print(wheel)


if __name__ == "__main__":
    main()
