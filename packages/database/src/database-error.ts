import { StoreError } from '@platform/kernel'
import { DatabaseError as ServerError } from 'pg'

/** What every database driver throws; `code` is the SQLSTATE where there is one. */
export class DatabaseError extends StoreError {
  override readonly name = 'DatabaseError'
}

/** True when a statement failed because a unique value is taken already. */
export const isUniqueViolation = (error: unknown): boolean =>
  error instanceof DatabaseError && error.code === '23505'

/** SQLSTATE classes that say the server can't do its work now: connection, resources, operator, system. */
const UNAVAILABLE_CLASSES = new Set(['08', '53', '57', '58'])

/** Single states that pass when asked again: serialization, deadlock, lock wait, a standby after a failover. */
const UNAVAILABLE_STATES = new Set(['40001', '40P01', '55P03', '25006'])

/** The server, as messages may name it, and the texts that must not stand in them. */
interface Target {
  address: string
  secrets: readonly string[]
}

/** Turns what pg threw into the one error class of this package, with a message that carries no credential. */
export function toDatabaseError(error: unknown, target: Target): DatabaseError {
  if (error instanceof DatabaseError) return error
  if (error instanceof ServerError) {
    const unavailable = isPassing(error)
    const message = scrub(
      `The database at ${target.address} answered: ${error.message} (${error.code}).`,
      target,
    )
    return new DatabaseError(message, { cause: error, unavailable, code: error.code })
  }
  if (isProgrammingError(error)) {
    return new DatabaseError(scrub(`A statement could not be sent or read: ${error.message}.`, target), {
      cause: error,
      unavailable: false,
    })
  }
  return new DatabaseError(silenceOf(error, target), {
    cause: error,
    unavailable: true,
    code: systemCode(error),
  })
}

/** An error met before the server took the connection: be it as it may, no statement can run now. */
export function toConnectError(error: unknown, target: Target): DatabaseError {
  if (error instanceof DatabaseError) return error
  if (!(error instanceof ServerError)) return toDatabaseError(error, target)
  const message = scrub(
    `The database at ${target.address} refused the connection: ${error.message} (${error.code}).`,
    target,
  )
  return new DatabaseError(message, { cause: error, unavailable: true, code: error.code })
}

/** True when the state of the connection is unknown: it may be in the middle of a response. */
export function breaksConnection(error: unknown): boolean {
  if (!(error instanceof ServerError)) return true
  return error.severity !== 'ERROR' || error.code === '25006' || isStalePlan(error)
}

/** A prepared statement whose tables a migration changed, or that a proxy forgot; prepared again it works. */
export const isStalePlan = (error: unknown): boolean =>
  error instanceof ServerError &&
  (error.code === '26000' || (error.code === '0A000' && error.message.includes('cached plan')))

function isPassing(error: ServerError): boolean {
  const code = error.code ?? ''
  return UNAVAILABLE_CLASSES.has(code.slice(0, 2)) || UNAVAILABLE_STATES.has(code) || isStalePlan(error)
}

/** A value that can't be serialised or a column that can't be parsed fails the same way every time. */
const isProgrammingError = (error: unknown): error is Error =>
  error instanceof TypeError || error instanceof RangeError || error instanceof SyntaxError

function silenceOf(error: unknown, target: Target): string {
  const code = systemCode(error)
  if (code !== undefined) return `The database at ${target.address} can't be reached (${code}).`
  const timedOut = error instanceof Error && /time(d )?out/i.test(error.message)
  return timedOut
    ? `The database at ${target.address} did not answer in time.`
    : `The connection to the database at ${target.address} was lost.`
}

const systemCode = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined

function scrub(message: string, target: Target): string {
  const withoutUserinfo = message.replace(/\/\/[^\s/@]*@/g, '//***@')
  return target.secrets.reduce((text, secret) => text.replaceAll(secret, '***'), withoutUserinfo)
}
