#!/usr/bin/env bash
# schemathesis.sh: asks the whole API what its description allows and what it does not, EXAMPLES cases an operation (100) with another
# SEED every night; fails on an answer the description does not hold.
set -euo pipefail
cd "$(dirname "$0")/../.."

scripts/servers/schemathesis.sh install
export EXAMPLES="${EXAMPLES:-100}" SEED="${SEED:-$(date +%Y%m%d)}" PHASES=examples,coverage,fuzzing RANDOM_CASES=1
echo "SEED=$SEED"
node_modules/.bin/node scripts/run-schemathesis.ts
