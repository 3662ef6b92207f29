// Packages that are for browsers what the modules of Node are, and say no types of their own.
declare module 'events/' {
  import type { EventEmitter } from 'node:events'

  const events: typeof EventEmitter
  export = events
}

declare module 'path-browserify' {
  import type path from 'node:path'

  const posix: typeof path.posix
  export = posix
}
