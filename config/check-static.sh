#!/bin/sh
# Every check that runs no test, all at the same time. Fails when one of them does.
checks=''
for name in types style lint imports unused; do
  npm run --silent "check:$name" &
  checks="$checks $!"
done

status=0
for check in $checks; do wait "$check" || status=1; done
exit $status
