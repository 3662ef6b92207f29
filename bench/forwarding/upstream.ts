import { createServer } from 'node:http'

/** The upstream of both proxies: 1 KB of JSON, nothing else. */
const body = JSON.stringify({ text: 'x'.repeat(1012) })

const server = createServer((request, response) => {
  request.resume()
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length })
  response.end(body)
})
server.keepAliveTimeout = 120_000
server.listen(Number(process.argv[2]), '127.0.0.1', () => console.log('upstream is listening'))
