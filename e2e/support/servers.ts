import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { freePorts, freshDirectory, processTree } from '@platform/testing/platform'
import { createClient } from 'redis'
import { vi } from 'vitest'

/** A real server of a test's own, to be stopped, wiped and started as a fault wants it. */
export interface TestServer {
  url: string
  start(): Promise<void>
  kill(): Promise<void>
  wipe(): Promise<void>
  stop(): Promise<void>
  /** Stops the processes in their tracks, or lets them go on. */
  freeze(): void
  thaw(): void
}

function serverOf(
  command: string,
  argumentsOf: (directory: string) => string[],
  port: number,
  url: string,
  prepare: (directory: string) => void = () => undefined,
): TestServer {
  const home = freshDirectory('server-')
  const directory = join(home, 'data')
  let child: ChildProcess | undefined
  const server: TestServer = {
    url,
    async start() {
      mkdirSync(directory, { recursive: true, mode: 0o700 })
      prepare(directory)
      child = spawn(command, argumentsOf(directory), { stdio: 'ignore', cwd: '/' })
      await reachable(port).catch(async (error: unknown) => {
        await server.kill()
        throw error
      })
    },
    async kill() {
      const gone = child === undefined || hasEnded(child) ? undefined : once(child, 'exit')
      signal(child, 'SIGKILL')
      await gone
    },
    freeze: () => signal(child, 'SIGSTOP'),
    thaw: () => signal(child, 'SIGCONT'),
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

const hasEnded = ({ exitCode, signalCode }: ChildProcess): boolean => exitCode !== null || signalCode !== null

/** To the server and all it has started. */
function signal(child: ChildProcess | undefined, name: NodeJS.Signals): void {
  if (child?.pid === undefined || hasEnded(child)) return
  for (const pid of processTree(child.pid)) {
    try {
      process.kill(pid, name)
    } catch {
      // It ended meanwhile.
    }
  }
}

/**
 * PostgreSQL as durable as in production, of the newest version that is installed. As root it runs as nobody: it
 * refuses root.
 */
export async function startPostgres(): Promise<TestServer> {
  const [port = 0] = await freePorts(1)
  const programs = '/usr/lib/postgresql'
  const newest = readdirSync(programs).toSorted((a, b) => Number(b) - Number(a))[0]
  const asNobody =
    process.getuid?.() === 0 ? ['setpriv', '--reuid=nobody', '--regid=nogroup', '--clear-groups'] : []
  const commandOf = (program: string, ...args: string[]) => [
    ...asNobody,
    `${programs}/${newest}/bin/${program}`,
    ...args,
  ]
  const url = `postgres://platform@127.0.0.1:${port}/postgres`
  const settings = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'max_connections=200']
  const [command = '', ...before] = commandOf('postgres')
  const server = serverOf(
    command,
    (directory) => [
      ...before,
      '-D',
      directory,
      '-p',
      String(port),
      ...settings.flatMap((one) => ['-c', one]),
    ],
    port,
    url,
    (directory) => {
      if (existsSync(join(directory, 'PG_VERSION'))) return
      if (asNobody.length > 0) execFileSync('chown', ['nobody:nogroup', directory])
      const [initdb = '', ...args] = commandOf('initdb', '-D', directory, '-U', 'platform', '-E', 'UTF8')
      execFileSync(initdb, [...args, '--locale=C.UTF-8', '--auth=trust', '--no-sync'], {
        stdio: 'ignore',
        cwd: '/',
      })
    },
  )
  // It listens while it recovers; it is back when it takes connections.
  const [ready = '', ...readyArgs] = commandOf('pg_isready', '-q', '-h', '127.0.0.1', '-p', String(port))
  const started: TestServer = {
    ...server,
    async start() {
      await server.start()
      await vi.waitFor(() => execFileSync(ready, readyArgs, { cwd: '/' }), { timeout: 30_000, interval: 50 })
    },
  }
  await started.start()
  return started
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
