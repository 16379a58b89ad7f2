#!/bin/sh
# Every check that runs no test, then the fast unit tests of what changed: since the branch left its upstream, and what is not
# committed. All of them where that cannot be told.
sh config/check-static.sh || exit 1

base=$(git merge-base HEAD '@{upstream}' 2>/dev/null || git rev-parse HEAD 2>/dev/null)
exec vitest run --config config/vitest.config.ts --project unit ${base:+--changed "$base" --passWithNoTests}
