import { createServer, type ServerResponse } from 'node:http'
import { type Dispatcher, Pool } from 'undici'

/** The yardstick: node:http in, undici dispatch out, nothing in between. */
const pool = new Pool(`http://127.0.0.1:${process.argv[3]}`, { connections: 64, pipelining: 1 })

class Relay implements Dispatcher.DispatchHandler {
  readonly #response: ServerResponse

  constructor(response: ServerResponse) {
    this.#response = response
  }

  onRequestStart(): void {}

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[]>,
  ): void {
    this.#response.writeHead(status, headers)
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#response.write(chunk)
  }

  onResponseEnd(): void {
    this.#response.end()
  }

  onResponseError(): void {
    this.#response.destroy()
  }
}

const server = createServer((request, response) => {
  const hasBody =
    request.headers['content-length'] !== undefined || request.headers['transfer-encoding'] !== undefined
  const headers = request.rawHeaders.filter(
    (_, index, all) => !/^(connection|host|keep-alive)$/i.test(all[index - (index % 2)] ?? ''),
  )
  pool.dispatch(
    { path: request.url ?? '/', method: request.method as 'GET', headers, body: hasBody ? request : null },
    new Relay(response),
  )
})
server.keepAliveTimeout = 120_000
server.listen(Number(process.argv[2]), '127.0.0.1', () => console.log('bare proxy is listening'))
