#!/bin/sh
# A JVM: compiles a class and runs it.
here=$(cd "$(dirname "$0")" && pwd)
. "$(dirname "$0")/../lib.sh"
need javac
check compile javac -d "$work" "$here/Compat.java"
java -cp "$work" Compat
