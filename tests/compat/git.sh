#!/bin/sh
# git: a repository with history, a merge, local clones by path and by file URL, packing.
. "$(dirname "$0")/lib.sh"
need git
export HOME="$work"
git config --global user.name Tester
git config --global user.email tester@localhost
git config --global init.defaultBranch main

check init git init "$work/repository"
cd "$work/repository"
echo one >file
git add file
check commit git commit -m first
git checkout -q -b side
echo two >other
git add other
git commit -q -m second
git checkout -q main
check merge git merge --no-ff -m merge side
check clone_path git clone "$work/repository" "$work/by-path"
check clone_url git clone "file://$work/repository" "$work/by-url"
check same_head test "$(git rev-parse HEAD)" = "$(git -C "$work/by-url" rev-parse HEAD)"
check gc git gc --aggressive --prune=now
check fsck git fsck --full
check stash sh -c 'echo three >>file && git stash && git stash pop'
check worktree git worktree add "$work/tree" side
