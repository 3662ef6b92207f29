import type { IncomingMessage, ServerResponse } from 'node:http'
import { startCounted } from '@platform/outbound/testing'

/** A request that a server outside has got. */
export interface Got {
  readonly method: string
  readonly url: string
  readonly headers: IncomingMessage['headers']
  readonly text: string
}

/** How a server outside answers its request number `count`, beginning with 1. */
export type Answers = (got: Got, response: ServerResponse, count: number) => unknown

/** A server outside that remembers what it got. */
export async function startOutside(
  answers: Answers = (_, response) => response.end('outside'),
  host = '127.0.0.1',
) {
  const got: Got[] = []
  const server = await startCounted(async (request, response) => {
    const pieces: Buffer[] = []
    for await (const piece of request) pieces.push(piece)
    const { method = '', url = '', headers } = request
    const one = { method, url, headers, text: Buffer.concat(pieces).toString() }
    got.push(one)
    answers(one, response, got.length)
  }, host)
  return Object.assign(server, { got })
}

export const json = (response: ServerResponse, value: unknown, status = 200): unknown =>
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
