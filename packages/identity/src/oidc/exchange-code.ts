import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'

type Listener = (request: IncomingMessage, response: ServerResponse) => Promise<void>

/** What the token endpoint answers. */
export interface TokenAnswer {
  status: number
  body: {
    access_token?: string
    id_token?: string
    expires_in?: number
    error?: string
    error_description?: string
  }
}

/** Trades a code for tokens. */
export type ExchangeCode = (
  form: Record<string, string>,
  caller: { ip: string; userAgent: string | undefined },
) => Promise<TokenAnswer>

/**
 * Asks the token endpoint of this very process, past the network: it checks the code, the client, the redirect
 * address and the verifier exactly as it does for everybody.
 */
export const codeExchange =
  (listener: Listener, origin: string): ExchangeCode =>
  (form, caller) => {
    const request = tokenRequest(new URLSearchParams(form).toString(), origin, caller)
    const response = new ServerResponse(request)
    return new Promise((resolve, reject) => {
      const end = (body?: unknown) => {
        resolve({ status: response.statusCode, body: JSON.parse(String(body)) as TokenAnswer['body'] })
        return response
      }
      response.end = end as typeof response.end
      listener(request, response).catch(reject)
    })
  }

function tokenRequest(
  body: string,
  origin: string,
  caller: { ip: string; userAgent: string | undefined },
): IncomingMessage {
  const { host, protocol } = new URL(origin)
  const request = Object.assign(new IncomingMessage(new Socket()), {
    originalUrl: '/oidc/token',
    baseUrl: '/oidc',
  })
  request.method = 'POST'
  request.url = '/token'
  request.headers = {
    host,
    accept: 'application/json',
    'x-forwarded-proto': protocol.slice(0, -1),
    'x-forwarded-for': caller.ip,
    'content-type': 'application/x-www-form-urlencoded',
    'content-length': String(Buffer.byteLength(body)),
    ...(caller.userAgent === undefined ? {} : { 'user-agent': caller.userAgent }),
  }
  request.push(body)
  request.push(null)
  return request
}
