import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

/**
 * The program of a NATS server, for tests that kill it: NATS_SERVER, else the one on the path or made by `go
 * install`.
 */
export const findNatsServer = (): string | undefined =>
  [process.env.NATS_SERVER, 'nats-server', join(homedir(), 'go', 'bin', 'nats-server')]
    .filter((program) => program !== undefined)
    .find((program) => spawnSync(program, ['--version']).status === 0)

interface NatsOptions {
  /** Where it keeps its streams. */
  directory?: string
  /** How much it keeps of all streams. */
  maxFileBytes?: number
}

/** A configuration of its own: the limit is no option of the command. */
function limitedTo(maxFileBytes: number): string {
  const file = join(mkdtempSync(join(tmpdir(), 'platform-nats-')), 'nats.conf')
  writeFileSync(file, `jetstream { max_file: ${maxFileBytes} }\n`)
  return file
}

/** A NATS server that tests may kill, wipe, freeze and start again on the same port. */
export class NatsServer implements AsyncDisposable {
  readonly url: string
  readonly #program: string
  readonly #port: number
  readonly #directory: string
  readonly #options: readonly string[]
  #process: ChildProcess | undefined

  private constructor(program: string, port: number, { directory, maxFileBytes }: NatsOptions) {
    this.#program = program
    this.#port = port
    this.#directory = directory ?? mkdtempSync(join(tmpdir(), 'platform-nats-'))
    this.#options = maxFileBytes === undefined ? [] : ['-c', limitedTo(maxFileBytes)]
    this.url = `nats://user:password@127.0.0.1:${port}`
  }

  static async start(program: string, options: NatsOptions = {}): Promise<NatsServer> {
    const server = new NatsServer(program, await freePort(), options)
    await server.start()
    return server
  }

  async start(): Promise<void> {
    const where = ['-a', '127.0.0.1', '-p', String(this.#port), '-sd', this.#directory]
    this.#process = spawn(
      this.#program,
      ['-js', ...this.#options, ...where, '--user', 'user', '--pass', 'password'],
      {
        stdio: 'ignore',
      },
    )
    while (!(await accepts(this.#port))) await pause(20)
  }

  async kill(): Promise<void> {
    const child = this.#process
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGKILL')
    await once(child, 'exit')
  }

  wipe(): void {
    rmSync(this.#directory, { recursive: true, force: true })
  }

  freeze(): void {
    this.#process?.kill('SIGSTOP')
  }

  thaw(): void {
    this.#process?.kill('SIGCONT')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill()
    this.wipe()
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  return typeof address === 'object' && address !== null ? address.port : 0
}

async function accepts(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}
