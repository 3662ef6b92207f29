import type { Env } from '@platform/config'
import { freePort } from './free-port.ts'

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
