// npm run check: what CI runs after the tests.
import './set-up/require-node.mjs'

void import('./run-checks.mjs')
