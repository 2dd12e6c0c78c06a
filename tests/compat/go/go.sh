#!/bin/sh
# Go: builds a program from the standard library alone, vets and runs it.
here=$(cd "$(dirname "$0")" && pwd)
. "$(dirname "$0")/../lib.sh"
need go
export HOME="$work" GOCACHE="$work/cache" GOPATH="$work/path" GOPROXY=off GO111MODULE=off GOTOOLCHAIN=local
check build go build -o "$work/program" "$here/main.go"
check vet go vet "$here/main.go"
"$work/program"
