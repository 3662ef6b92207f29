import { Stopped } from './problem.mjs'

// A Ctrl-C under npm arrives twice, from the terminal and from npm. Only a later one is a second request.
const sameRequestMs = 1000
const parentPollMs = 1000

/**
 * Passes requests to stop on to the program that is running. It lives in a process group of its own, so that each
 * request reaches it once, from here; what is left of the group after `graceMs` is killed.
 */
export function watchStops({ graceMs, stoppedCode }) {
  let child
  let isWhole = false
  let requestedAt = 0
  const request = (signal) => {
    if (Date.now() - requestedAt < sameRequestMs) return
    requestedAt = Date.now()
    if (!child) process.exit(stoppedCode)
    if (isWhole) signalGroup(child, 'SIGTERM')
    else child.kill(signal === 'SIGHUP' ? 'SIGTERM' : signal)
    setTimeout(() => signalGroup(child, 'SIGKILL'), graceMs).unref()
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => request(signal))
  watchParent(() => request('SIGTERM'))
  return {
    /**
     * Who gets the requests from now on: the program alone, or its `whole` group when it does not pass them on
     * itself.
     */
    watch: (started, { whole = false } = {}) => {
      child = started
      isWhole = whole
    },
    throwIfRequested: () => {
      if (requestedAt > 0) throw new Stopped(stoppedCode)
    },
  }
}

/**
 * npm killed without a chance to pass the signal on would leave us behind. Started by hand, we may outlive the shell.
 */
function watchParent(onGone) {
  if (!process.env.npm_lifecycle_event) return
  const parent = process.ppid
  setInterval(() => process.ppid !== parent && onGone(), parentPollMs).unref()
}

function signalGroup(child, signal) {
  if (child?.pid === undefined) return
  try {
    process.kill(-child.pid, signal)
  } catch {
    // Nothing of it is left.
  }
}
