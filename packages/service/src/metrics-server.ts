import { once } from 'node:events'
import { createHardenedServer, refuseAmbiguous, registry, sendFailure, sendRaw } from '@platform/http'
import { Failure } from '@platform/kernel'
import type { Logger } from '@platform/logging'
import { metricsPage } from './metrics-page.ts'

/** Few ask, and none of them for long. */
const MAX_CONNECTIONS = 50

/**
 * Serves the metrics of the process on a port of their own, without a credential: everybody who can reach the port may
 * read. Processes that share the port of a service share this one as well: each answers for all. Rejects
 * with the error of `listen`.
 */
export async function openMetricsServer(
  address: { port: number; host: string },
  log: Logger,
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
      metricsPage()
        .then((text) => sendRaw(response, 200, text, registry.contentType))
        .catch(refuse)
    },
    { keepAliveTimeoutMs: 80_000, maxConnections: MAX_CONNECTIONS },
  )
  server.listen(address)
  await once(server, 'listening')
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
