import type { ServerResponse } from 'node:http'
import type { Page } from './page.ts'

/** Answers a request with a page. */
export function sendPage(response: ServerResponse, status: number, page: Page): void {
  response.statusCode = status
  for (const [name, value] of Object.entries(page.headers)) response.setHeader(name, value)
  response.setHeader('content-length', Buffer.byteLength(page.html))
  // A body that was not read to its end would be taken for the next request.
  if (!response.req.complete) response.setHeader('connection', 'close')
  response.end(page.html)
}

/** Sends a browser on; nothing keeps the answer. */
export function redirect(response: ServerResponse, location: string, status: 302 | 303 = 303): void {
  const headers = { location, 'cache-control': 'no-store', 'content-length': '0' }
  // A body that was not read to its end would be taken for the next request.
  if (!response.req.complete) response.setHeader('connection', 'close')
  response.writeHead(status, headers).end()
}
