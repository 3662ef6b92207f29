import { createServer } from 'node:http'

/** Whom durable runs ask: answers at once, in a process of its own, so that its CPU is nobody else's. */
const server = createServer((request, response) => {
  request.resume().on('end', () => {
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"id":4711}')
  })
})
server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  process.send?.(typeof address === 'object' ? address?.port : 0)
})
