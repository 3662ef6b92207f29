// npm test: installs what is missing, then runs the tests. Its last line is the count.
import './set-up/require-node.mjs'

void import('./run-tests.mjs')
