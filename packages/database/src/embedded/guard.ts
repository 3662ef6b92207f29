import type { ChildProcess } from 'node:child_process'
import type { Socket } from 'node:net'

/**
 * Becomes the server, and leaves a watcher of a few kilobytes beside it that has the other end of a pipe of ours. The
 * end of this process closes the pipe, also kill -9 or the kernel when memory is short: then the watcher ends the
 * server, politely first. A line on the pipe says that the server has ended already. The watcher is no child of the
 * server, which would take an unknown child for a mistake, and ignores signals to the process group: this process gets
 * them too and stops the server itself. What was frozen goes on first: a server waits for its processes, for as long as
 * they are.
 */
const BECOME_GUARDED = `
exec 3<&0 </dev/null
(
  trap '' HUP INT QUIT TERM
  (
    if read -r ended <&3; then exit 0; fi
    for name in INT QUIT KILL; do
      kill -s $name $$ 2>/dev/null || exit 0
      kill -s CONT $$ $(cat /proc/$$/task/$$/children 2>/dev/null) 2>/dev/null
      left=50
      while [ $left -gt 0 ]; do
        kill -0 $$ 2>/dev/null || exit 0
        sleep 0.1
        left=$((left - 1))
      done
    done
  ) &
)
exec 3<&- "$0" "$@"`

/** What to start instead of a program so that it ends with this process. Its standard input has to be a pipe. */
export const guarded = (program: string, args: string[]): [program: string, args: string[]] => [
  '/bin/sh',
  ['-c', BECOME_GUARDED, program, ...args],
]

/** Writes to the watcher when the server has ended; the pipe does not keep this process running. */
export function followGuarded(child: ChildProcess): void {
  const pipe = child.stdin as Socket | null
  // The watcher itself may have been killed.
  pipe?.on('error', () => undefined)
  pipe?.unref()
  child.once('exit', () => pipe?.end('ended\n'))
}
