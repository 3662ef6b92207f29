import type { IncomingMessage } from 'node:http'

/**
 * Reads a small body whole, then calls `done`; it is never called when the client leaves before the end. A body in
 * one piece leaves together with its headers, which costs half of a stream, and a slow client keeps no connection to
 * a service busy.
 */
export function gatherBody(request: IncomingMessage, done: (body: Buffer) => void): void {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.once('end', () => done(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)))
}
