#!/bin/sh
# Locales: C.UTF-8 is there and text beyond ASCII passes through names, tools and Python unharmed.
. "$(dirname "$0")/lib.sh"
export LC_ALL=C.UTF-8
cd "$work"
check charmap test "$(locale charmap)" = UTF-8
check no_warning test -z "$(locale 2>&1 >/dev/null)"
check character_count test "$(printf 'žluťoučký' | wc -m)" = 9
: >'soubor-ž-日本'
check file_name test "$(ls soubor*)" = 'soubor-ž-日本'
check python test "$(python3 -c 'print("žluť".upper())')" = ŽLUŤ
check python_encoding test "$(python3 -c 'import sys; print(sys.getfilesystemencoding(), sys.stdout.encoding)')" = "utf-8 utf-8"
check time_zone test "$(TZ=UTC date -d @0 +%H:%M)" = 00:00
