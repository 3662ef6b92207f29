import { once } from 'node:events'
import type { Server } from 'node:http'
import { createHardenedServer, refuseAmbiguous, registry, sendFailure, sendRaw } from '@platform/http'
import { Failure } from '@platform/kernel'
import type { Logger } from '@platform/logging'

/** Processes of one service on one machine. */
const SIBLINGS_MAX = 99
/** Few ask, and none of them for long. */
const MAX_CONNECTIONS = 50

/**
 * Lets the metrics of the process be read on a port of their own, without a credential: whoever can reach it may read (decisions A11).
 * One of several processes that share a port (`isSibling`) takes the next port that is free. Rejects with the error of `listen`.
 */
export async function openMetricsDoor(
  address: { port: number; host: string },
  log: Logger,
  isSibling = false,
): Promise<AsyncDisposable & { port: number }> {
  const server = createHardenedServer(
    (request, response) => {
      const isAsked = request.url === '/metrics' && (request.method === 'GET' || request.method === 'HEAD')
      const refuse = (error: unknown) => sendFailure(response, error, log, '')
      try {
        refuseAmbiguous(request, response)
      } catch (error) {
        return refuse(error)
      }
      if (!isAsked) return refuse(new Failure('ObjectNotFoundError', 'There is only GET /metrics here.'))
      registry
        .metrics()
        .then((text) => sendRaw(response, 200, text, registry.contentType))
        .catch(refuse)
    },
    { keepAliveTimeoutMs: 80_000, maxConnections: MAX_CONNECTIONS },
  )
  await listen(server, address, isSibling ? SIBLINGS_MAX : 1)
  const listening = server.address()
  return {
    port: typeof listening === 'object' ? (listening?.port ?? 0) : 0,
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

/** Exclusive: a port that processes share would answer with the numbers of any of them. */
async function listen(
  server: Server,
  { port, host }: { port: number; host: string },
  tries: number,
): Promise<void> {
  try {
    server.listen({ port, host, exclusive: true })
    await once(server, 'listening')
  } catch (error) {
    if (tries === 1 || (error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
    await listen(server, { port: port + 1, host }, tries - 1)
  }
}
