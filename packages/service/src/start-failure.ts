import { ConfigError } from '@platform/config'
import { ListenFailure } from './listen-failure.ts'

/** Errors of the language itself: no operator can mend them. */
const bugs = new Set(['TypeError', 'ReferenceError', 'RangeError', 'SyntaxError', 'AssertionError'])

/** A failed start in sentences that name the thing and the remedy: never a stack (README). */
export function explainStartFailure(error: unknown): string[] {
  // Closing what was open failed too; the first reason is the one to mend.
  if (error instanceof SuppressedError) return explainStartFailure(error.suppressed)
  if (error instanceof ConfigError) {
    return ['The configuration has problems:', ...error.problems.map((problem) => `  ${problem}`)]
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
