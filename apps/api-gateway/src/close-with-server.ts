import type { Server } from 'node:http'
import type { Logger } from '@platform/logging'

/** Closes what the gateway has opened for itself, as soon as its server has finished its last request. */
export const closeWithServer =
  (parts: readonly AsyncDisposable[], log: Logger) =>
  (server: Server): void => {
    server.once('close', () => {
      for (const part of parts)
        part[Symbol.asyncDispose]().then(undefined, (error: unknown) =>
          log.warn({ err: error }, 'a part of the gateway could not be closed'),
        )
    })
  }
