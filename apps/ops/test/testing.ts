import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Env } from '@platform/config'
import { ops } from '../src/ops.ts'

/** Runs a command as in a shell without any variable; answers what was printed and the exit code. */
export async function runOps(
  args: string[],
  env: Env = {},
  hasColours = false,
  confirm?: (question: string) => Promise<boolean>,
) {
  const lines: string[] = []
  const complaints: string[] = []
  const terminal = {
    env,
    hasColours,
    ...(confirm === undefined ? {} : { confirm }),
    print: (text: string) => lines.push(text),
    complain: (text: string) => complaints.push(text),
  }
  const code = await ops(args, terminal)
  return { code, out: lines.join('\n'), err: complaints.join('\n') }
}

/** Something that answers where a platform would be. */
export async function serve(listener: RequestListener) {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    port: String(port),
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

export const KEY = 'internal-key-of-the-tests-0123456789'
