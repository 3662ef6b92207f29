import { createServer } from 'node:http'
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose'
import { CLIENT, closed, listening } from './idp.ts'

/** A provider that answers whatever id token a test makes. */
export async function startCrookedIdp() {
  const { privateKey, publicKey } = await generateKeyPair('ES256')
  const stranger = (await generateKeyPair('ES256')).privateKey
  const jwk = { ...(await exportJWK(publicKey)), kid: 'one', alg: 'ES256', use: 'sig' }
  const idp = { url: '', idToken: async (): Promise<string> => '', asked: { token: 0, jwks: 0 } }
  const server = createServer((request, response) => {
    const { url } = idp
    const send = (body: unknown) =>
      response.setHeader('content-type', 'application/json').end(JSON.stringify(body))
    request.resume()
    if (request.url === '/jwks') {
      idp.asked.jwks += 1
      return send({ keys: [jwk] })
    }
    if (request.url === '/token') {
      idp.asked.token += 1
      return void idp
        .idToken()
        .then((id_token) => send({ access_token: 'opaque', token_type: 'bearer', id_token }))
    }
    return send({
      issuer: url,
      authorization_endpoint: `${url}/auth`,
      token_endpoint: `${url}/token`,
      jwks_uri: `${url}/jwks`,
      id_token_signing_alg_values_supported: ['ES256'],
    })
  })
  idp.url = await listening(server)
  const sign = (claims: JWTPayload, options: { stranger?: boolean; kid?: string } = {}) =>
    new SignJWT({ iss: idp.url, aud: CLIENT.client_id, sub: 'eve', iat: now(), exp: now() + 300, ...claims })
      .setProtectedHeader({ alg: 'ES256', kid: options.kid ?? 'one' })
      .sign(options.stranger === true ? stranger : privateKey)
  return Object.assign(idp, { sign, [Symbol.asyncDispose]: () => closed(server) })
}

const now = () => Math.floor(Date.now() / 1000)

/** The same claims with `alg: none` and no signature. */
export const unsigned = (claims: JWTPayload): string =>
  `${[{ alg: 'none' }, { iat: now(), exp: now() + 300, ...claims }]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.')}.`
