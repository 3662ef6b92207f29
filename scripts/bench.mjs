// npm run bench: installs what is missing, then measures.
import './set-up/require-node.mjs'

void import('./run-bench.mjs')
