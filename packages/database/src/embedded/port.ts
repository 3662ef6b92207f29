import { readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'

/** The port of the last start while it is free, so that it stays the same across restarts; otherwise a new one. */
export async function choosePort(directory: string, avoid?: number): Promise<number> {
  const file = join(directory, 'port')
  const last = Number(await readFile(file, 'utf8').catch(() => ''))
  const isUsable = Number.isInteger(last) && last > 1023 && last < 65_536 && last !== avoid
  if (isUsable && (await listenOn(last)) !== undefined) return last
  const port = (await listenOn(0)) ?? 0
  await writeFile(file, `${port}\n`)
  return port
}

/** Listens for a moment and answers the port, or undefined when it is taken. */
function listenOn(port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(undefined))
    server.listen({ port, host: '127.0.0.1' }, () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' ? address?.port : undefined))
    })
  })
}
