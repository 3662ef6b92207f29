// npm start: installs what is missing, then runs the whole platform in one process on embedded defaults.
import './set-up/require-node.mjs'

void import('./start-platform.mjs')
