import type { Exchange } from './exchange.ts'

const YEAR_SECONDS = 31_536_000

/**
 * What browsers are told of an API that is https: never to come without it. Undefined for http, where it would be
 * ignored.
 */
export const strictTransportOf = (apiUrl: string): string | undefined =>
  apiUrl.startsWith('https:') ? `max-age=${YEAR_SECONDS}` : undefined

/** Tells it with an answer of the gateway's own; those of services get it where they are passed on. */
export function requireHttps({ response, strictTransport }: Exchange): void {
  if (strictTransport !== undefined && !response.headersSent)
    response.setHeader('strict-transport-security', strictTransport)
}
