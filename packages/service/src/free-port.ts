import { createServer } from 'node:net'

/**
 * The port itself when it is free, else another one. An address that nobody can listen on is told when the service
 * tries.
 */
export async function freePort(port: number, host: string): Promise<number> {
  const server = createServer()
  const listening = await new Promise<number | undefined>((resolve) => {
    server.once('error', () => resolve(undefined))
    server.listen({ port, host }, () => {
      const address = server.address()
      resolve(typeof address === 'object' ? address?.port : undefined)
    })
  })
  if (listening === undefined) return port === 0 ? 0 : freePort(0, host)
  await new Promise((resolve) => server.close(resolve))
  return listening
}
