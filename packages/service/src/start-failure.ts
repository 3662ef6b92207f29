import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'
import { ConfigError, type Env } from '@platform/config'

/** Errors of the language itself: no operator can mend them. */
const bugs = new Set(['TypeError', 'ReferenceError', 'RangeError', 'SyntaxError', 'AssertionError'])

/**
 * A failed start in sentences that name the thing and the remedy: never a stack. `configuredIn` is where an operator
 * sets variables, where that is known.
 */
export function explainStartFailure(error: unknown, configuredIn = ''): string[] {
  // Closing what was open failed too; the first reason is the one to mend.
  if (error instanceof SuppressedError) return explainStartFailure(error.suppressed, configuredIn)
  if (error instanceof ConfigError) {
    const problems = error.problems.map((problem) => `  ${problem}`)
    const remedy = configuredIn === '' ? [] : [`Mend this in ${configuredIn}, and start again.`]
    return ['The configuration has problems:', ...problems, ...remedy]
  }
  if (!(error instanceof Error)) return [`The platform could not start: ${String(error)}.`]
  const { code } = error as NodeJS.ErrnoException
  if (code === 'ENOSPC') return ['The disk is full: free some space and start again.']
  if (bugs.has(error.name)) {
    return [
      `The platform could not start because of a bug: ${sentence(error.message)}`,
      'Set LOG_LEVEL=debug to see where.',
    ]
  }
  if (error instanceof ListenFailure && error.command !== undefined)
    return [sentence(error.message), `  ${error.command}`]
  return [sentence(error.message === '' ? `The platform could not start: ${error.name}` : error.message)]
}

const sentence = (message: string): string => (/[.!?]$/.test(message) ? message : `${message}.`)

/** The service can't listen; the message names the address, and the variable that changes it. */
export class ListenFailure extends Error {
  override readonly name = 'ListenFailure'
  /** What to type instead, where it is known what was typed. */
  readonly command: string | undefined

  constructor(message: string, options: { cause: unknown; command?: string | undefined }) {
    super(message, { cause: options.cause })
    this.command = options.command
  }
}

type SystemError = Error & { code?: string }

/** A failed `listen` in a sentence. */
export async function listenFailure(
  error: SystemError,
  service: string,
  address: { port: number; host: string },
  env: Env,
): Promise<ListenFailure> {
  const { port, host } = address
  const variable = portVariable(service, env)
  const sentences: Record<string, string> = {
    EADDRINUSE: `Port ${port} on ${host} is taken by another program: stop it, or set ${variable} to a free port.`,
    EACCES: `Port ${port} may not be used by this user: set ${variable} to a port above 1023.`,
    EADDRNOTAVAIL: `The address ${host} does not belong to this machine: set HOST to one that does, or to 0.0.0.0.`,
    ENOTFOUND: `The name ${host} is not known: set HOST to an address of this machine, or to 0.0.0.0.`,
  }
  const message =
    sentences[error.code ?? ''] ??
    `The service ${service} can't listen on ${host}, port ${port}: ${error.message}.`
  const isTaken = error.code === 'EADDRINUSE' && variable === 'PORT'
  return new ListenFailure(message, {
    cause: error,
    command: isTaken ? await otherPort(address, env) : undefined,
  })
}

/** How the same is started on a port that is free. */
async function otherPort(
  { port, host }: { port: number; host: string },
  env: Env,
): Promise<string | undefined> {
  const typed = { start: 'npm start', dev: 'npm run dev' }[env.npm_lifecycle_event ?? '']
  if (typed === undefined) return undefined
  return `PORT=${await freePort((port + 2000) % 65_536, host)} ${typed}`
}

/** Beside others a service has a variable of its own, for example WORKSPACES_PORT; alone it takes PORT. */
function portVariable(service: string, env: Env): string {
  const own = `${service.toUpperCase().replaceAll('-', '_')}_PORT`
  return env[own] === undefined || env[own] === '' ? 'PORT' : own
}

/** Below what systems lend to outgoing connections: what is free here stays so until it is listened on. */
const CHOSEN = { lowest: 10_240, highest: 32_767 }
const TRIES = 20

/**
 * The port itself when it is free, else another one. 0 where nobody can listen on the address: the service says so when
 * it tries.
 */
export async function freePort(port: number, host: string): Promise<number> {
  if (port !== 0 && (await isFree(port, host))) return port
  for (let tries = 0; tries < TRIES; tries += 1) {
    const chosen = randomInt(CHOSEN.lowest, CHOSEN.highest + 1)
    if (await isFree(chosen, host)) return chosen
  }
  return 0
}

async function isFree(port: number, host: string): Promise<boolean> {
  const server = createServer()
  const isListening = await new Promise<boolean>((resolve) => {
    server.once('error', () => resolve(false))
    server.listen({ port, host }, () => resolve(true))
  })
  if (isListening) await new Promise((resolve) => server.close(resolve))
  return isListening
}
