import { spawn } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePorts, freshDirectory, processTree } from '@platform/testing/platform'
import { type Contender, installed, untilDone } from './contender.ts'

export const RESTATE_VERSION = '1.7.12'
const SDK_VERSION = '1.17.2'

/** A service of one handler whose only step asks `outside`, as its documents write it. */
const service = `
import { endpoint, service } from '@restatedev/restate-sdk'
const [port, outside] = process.argv.slice(2)
const order = service({ name: 'order', handlers: { place: async (ctx, given) => {
  const asked = await ctx.run('ask', async () => {
    const answer = await fetch(outside, { method: 'POST', body: JSON.stringify(given) })
    return await answer.json()
  })
  return { id: asked.id }
} } })
endpoint().bind(order).listen(Number(port))
`

/** Restate as its packages bring it: server and service, on ports and in a folder of their own, as safe as it comes. */
export async function startRestate(outside: string): Promise<Contender & AsyncDisposable> {
  const folder = await installed(`restate-${RESTATE_VERSION}`, [
    `@restatedev/restate-server@${RESTATE_VERSION}`,
    `@restatedev/restate-sdk@${SDK_VERSION}`,
  ])
  const directory = freshDirectory('restate-')
  const [ingress = 0, admin = 0, fabric = 0, port = 0] = await freePorts(4)
  const env = {
    PATH: process.env.PATH ?? '',
    HOME: directory,
    RESTATE_LISTEN_MODE: 'tcp',
    RESTATE_BASE_DIR: join(directory, 'data'),
    RESTATE_BIND_ADDRESS: `127.0.0.1:${fabric}`,
    RESTATE_ADVERTISED_ADDRESS: `http://127.0.0.1:${fabric}`,
    RESTATE_INGRESS__BIND_ADDRESS: `127.0.0.1:${ingress}`,
    RESTATE_ADMIN__BIND_ADDRESS: `127.0.0.1:${admin}`,
    RESTATE_DISABLE_TELEMETRY: 'true',
    RESTATE_LOG_FILTER: 'error',
  }
  writeFileSync(join(folder, 'service.mjs'), service)
  const bin = join(
    folder,
    'node_modules',
    '@restatedev',
    `restate-server-${process.platform}-${process.arch}`,
    'bin',
  )
  const server = spawn(join(bin, 'restate-server'), ['--no-logo'], { cwd: directory, env, stdio: 'ignore' })
  const handlers = spawn(process.execPath, ['service.mjs', String(port), outside], {
    cwd: folder,
    env: { PATH: env.PATH, NODE_ENV: 'production', RESTATE_LOGGING: 'ERROR' },
    stdio: 'ignore',
  })
  await untilDone(`http://127.0.0.1:${admin}/deployments`, { uri: `http://127.0.0.1:${port}` })
  const url = `http://127.0.0.1:${ingress}/order/place`
  await untilDone(url, { name: 'Ada' })
  return {
    plan: { url, headers: {} },
    pids: () => processTree(server.pid ?? 0, handlers.pid ?? 0),
    async [Symbol.asyncDispose]() {
      server.kill('SIGKILL')
      handlers.kill('SIGKILL')
      rmSync(directory, { recursive: true, force: true })
    },
  }
}
