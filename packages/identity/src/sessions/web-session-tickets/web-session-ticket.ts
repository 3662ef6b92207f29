import { randomBytes } from 'node:crypto'
import { hashToken } from '@platform/auth'
import { Failure } from '@platform/kernel'

/** A ticket as it is kept. */
export interface WebSessionTicket {
  ticketHash: string
  /** The session it was asked for with. */
  sessionId: string
  scopes: readonly string[]
  redirect: string
}

/** How long a ticket can be opened. */
export const TICKET_SECONDS = 60

const TICKET = /^[A-Za-z0-9_-]{43}$/

/** 256 random bits; only their hash is stored. */
export function mintTicket(): { ticket: string; ticketHash: string } {
  const ticket = randomBytes(32).toString('base64url')
  return { ticket, ticketHash: hashToken(ticket) }
}

/** The hash a ticket is kept under; undefined for what can't be one. */
export const hashOfTicket = (ticket: string): string | undefined =>
  TICKET.test(ticket) ? hashToken(ticket) : undefined

/**
 * Where a redirect leads to; undefined unless it is an http address of one of `origins`, exactly, without a name or
 * password in it.
 */
export function allowedRedirect(redirect: string, origins: readonly string[]): string | undefined {
  const url = URL.parse(redirect)
  if (url === null || !/^https?:$/.test(url.protocol)) return undefined
  if (url.username !== '' || url.password !== '') return undefined
  return origins.includes(url.origin) ? url.href : undefined
}

/** As `allowedRedirect`; throws RequestValidationError for any other. */
export function requireRedirect(redirect: string, origins: readonly string[]): string {
  const allowed = allowedRedirect(redirect, origins)
  if (allowed !== undefined) return allowed
  throw new Failure(
    'RequestValidationError',
    'redirect must be an address of the API, the console or another allowed origin.',
    { details: [{ path: 'body.redirect', message: 'must be an address of an allowed origin' }] },
  )
}
