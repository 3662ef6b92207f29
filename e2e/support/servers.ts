import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePorts } from '@platform/testing/platform'
import { createClient } from 'redis'

/** A real server of a test's own, to be stopped, wiped and started as a fault wants it. */
export interface TestServer {
  url: string
  start(): Promise<void>
  kill(): Promise<void>
  wipe(): Promise<void>
  stop(): Promise<void>
}

function serverOf(
  command: string,
  argumentsOf: (directory: string) => string[],
  port: number,
  url: string,
): TestServer {
  const home = mkdtempSync(join(tmpdir(), 'server-'))
  chmodSync(home, 0o755)
  const directory = join(home, 'data')
  let child: ChildProcess | undefined
  const server: TestServer = {
    url,
    async start() {
      mkdirSync(directory, { recursive: true, mode: 0o700 })
      child = spawn(command, argumentsOf(directory), { stdio: 'ignore' })
      await reachable(port).catch(async (error: unknown) => {
        await server.kill()
        throw error
      })
    },
    async kill() {
      const gone = child === undefined || child.exitCode !== null ? undefined : once(child, 'exit')
      child?.kill('SIGKILL')
      await gone
    },
    async wipe() {
      rmSync(directory, { recursive: true, force: true })
    },
    async stop() {
      await server.kill()
      rmSync(home, { recursive: true, force: true })
    },
  }
  return server
}

/** NATS with JetStream, user and password; NATS_SERVER names the program. */
export async function startNats(): Promise<TestServer> {
  const [port = 0] = await freePorts(1)
  const command = process.env.NATS_SERVER ?? 'nats-server'
  const args = (directory: string) => [
    '-js',
    '-sd',
    directory,
    '-a',
    '127.0.0.1',
    '-p',
    String(port),
    '--user',
    'platform',
    '--pass',
    'faults',
  ]
  const server = serverOf(command, args, port, `nats://platform:faults@127.0.0.1:${port}`)
  await server.start()
  return server
}

/** Redis that keeps nothing on disk. */
export async function startRedis(): Promise<TestServer & { flushAll(): Promise<void> }> {
  const [port = 0] = await freePorts(1)
  const url = `redis://127.0.0.1:${port}`
  const server = serverOf(
    'redis-server',
    (directory) => ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--dir', directory],
    port,
    url,
  )
  await server.start()
  return {
    ...server,
    async flushAll() {
      const client = createClient({ url })
      await client.connect()
      await client.flushAll()
      await client.close()
    },
  }
}

async function reachable(port: number): Promise<void> {
  for (let attempt = 0; attempt < 200; attempt += 1) {
    const socket = connect(port, '127.0.0.1')
    const open = await once(socket, 'connect').then(
      () => true,
      () => false,
    )
    socket.destroy()
    if (open) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error(`No server listens on port ${port}.`)
}
