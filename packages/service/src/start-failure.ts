import { ConfigError } from '@platform/config'

const portVariable: Record<number, string> = {
  3001: 'PORT',
  3002: 'WORKSPACES_PORT',
  3003: 'RUNTIME_PORT',
  3004: 'EVENTS_PORT',
}

/** A failed start in sentences that name the thing and the remedy: never a stack (README). */
export function explainStartFailure(error: unknown): string[] {
  if (error instanceof ConfigError) {
    return ['The configuration has problems:', ...error.problems.map((problem) => `  ${problem}`)]
  }
  if (!(error instanceof Error)) return [`The platform could not start: ${String(error)}.`]
  const { code, port, address } = error as NodeJS.ErrnoException & { port?: number; address?: string }
  if (code === 'EADDRINUSE' && port !== undefined) {
    const variable = portVariable[port] ?? 'PORT'
    return [
      `Port ${port} on ${address ?? 'this machine'} is taken by another program: stop it, or set ${variable} to a free port.`,
    ]
  }
  if (code === 'EACCES' && port !== undefined)
    return [`Port ${port} may not be used by this user: set PORT above 1023.`]
  if (code === 'ENOSPC') return ['The disk is full: free some space and start again.']
  return [sentence(error.message)]
}

const sentence = (message: string): string => (/[.!?]$/.test(message) ? message : `${message}.`)
