import type { ServerResponse } from 'node:http'
import { sendFailure } from '@platform/http'
import { Failure } from '@platform/kernel'
import type { Exchange } from './exchange.ts'

/** Responds to a request that ended in an error, in the one error shape. */
export const refuse =
  ({ forgetCookie }: { forgetCookie: (response: ServerResponse) => void }) =>
  (exchange: Exchange, error: unknown): void => {
    const { response, log, correlationId } = exchange
    exchange.requireHttps()
    if (error instanceof Failure && !response.headersSent) {
      // A browser can't drop the cookie by itself, and would be refused even where it needs no credential.
      if (error.name === 'AuthenticationError' && exchange.byCookie) forgetCookie(response)
    }
    sendFailure(response, error, log, correlationId)
  }
