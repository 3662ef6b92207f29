import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const PRINTED_MAX_BYTES = 2_000_000

/** Root of the repository: where processes are started, as an operator would. */
export const repositoryRoot = fileURLToPath(new URL('../../../../', import.meta.url))

/** A process of the platform under test, with everything it printed. */
export interface PlatformProcess {
  readonly name: string
  readonly child: ChildProcess
  readonly pid: number
  output(): string
  /** Resolves when a printed text matches; rejects when the process ends or the time is over. */
  printed(pattern: RegExp, timeoutMs?: number): Promise<void>
  /** Sends a signal and resolves with the exit code. */
  stop(signal?: NodeJS.Signals, timeoutMs?: number): Promise<number | null>
}

/**
 * Starts `node <script> <args>` with this environment only: nothing of the machine's leaks in but PATH and HOME. Node
 * keeps what it has compiled where this run says it.
 */
export function spawnPlatform(
  name: string,
  script: string,
  env: Record<string, string>,
  args: (string | number)[] = [],
): PlatformProcess {
  const { PATH = '', HOME = '', COMPILED_PROGRAMS } = process.env
  const compiled = COMPILED_PROGRAMS === undefined ? {} : { NODE_COMPILE_CACHE: COMPILED_PROGRAMS }
  const child = spawn(process.execPath, [script, ...args.map(String)], {
    cwd: repositoryRoot,
    env: { PATH, HOME, ...compiled, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const printed = new PrintedText()
  const collect = (chunk: Buffer) => printed.add(chunk)
  child.stdout?.on('data', collect)
  child.stderr?.on('data', collect)
  const ended = once(child, 'exit').then(([code]) => code as number | null)
  return {
    name,
    child,
    pid: child.pid ?? 0,
    output: () => printed.text(),
    printed: (pattern, timeoutMs = 60_000) =>
      waitFor(
        name,
        child,
        () => pattern.test(printed.text()),
        () => printed.text(),
        timeoutMs,
      ),
    async stop(signal = 'SIGTERM', timeoutMs = 20_000) {
      if (child.exitCode !== null || child.signalCode !== null) return child.exitCode
      child.kill(signal)
      const late = setTimeout(() => child.kill('SIGKILL'), timeoutMs)
      const code = await ended
      clearTimeout(late)
      return code
    },
  }
}

/** The last megabytes that were printed. Taking a piece costs nothing: a slow reader would hold the process up. */
class PrintedText {
  readonly #chunks: Buffer[] = []
  #bytes = 0

  add(chunk: Buffer): void {
    this.#chunks.push(chunk)
    this.#bytes += chunk.length
    while (this.#bytes > PRINTED_MAX_BYTES) this.#bytes -= this.#chunks.shift()?.length ?? 0
  }

  text(): string {
    return Buffer.concat(this.#chunks).toString()
  }
}

async function waitFor(
  name: string,
  child: ChildProcess,
  done: () => boolean,
  output: () => string,
  timeoutMs: number,
): Promise<void> {
  const end = Date.now() + timeoutMs
  while (!done()) {
    if (child.exitCode !== null)
      throw new Error(`${name} ended with ${child.exitCode}:\n${output().slice(-3000)}`)
    if (Date.now() > end) throw new Error(`${name} did not print what was awaited:\n${output().slice(-3000)}`)
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
}
