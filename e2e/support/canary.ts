import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Stands in for the services behind a gateway: answers with the path it was asked for, and keeps it. */
export interface Canary extends AsyncDisposable {
  url: string
  /** Paths of requests that came whole, oldest first. */
  arrived: string[]
}

/** Starts one on a free port. */
export async function startCanary(): Promise<Canary> {
  const arrived: string[] = []
  const server = createServer((request, response) => {
    request.resume()
    request.on('end', () => {
      arrived.push(request.url ?? '')
      const body = JSON.stringify({ path: request.url })
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length })
      response.end(body)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    arrived,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
    },
  }
}
