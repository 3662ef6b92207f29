import type { Json } from './declared.ts'
import { failureResponses } from './failure-responses.ts'
import { discoveryExample, oauthErrorExample, oidcSchemas, ref, tokenExample } from './oidc-schemas.ts'
import { failedPage, json, page, redirect } from './written-answers.ts'
import { form, query } from './written-requests.ts'

export { oidcSchemas }

const tags = ['OpenID Connect']
const CLIENT =
  'As HTTP Basic with the id and the secret of a client, or as `client_id` and `client_secret` in the form.'
const USER = '0199f0c2-6a3e-7b1c-9d55-0a4c7a1f2e33'

const text = (description: string): Json => ({ type: 'string', description })
const refused = (description: string): Json => json(description, ref('OAuthError'), oauthErrorExample)
const usual = failureResponses(['HeadersTooLarge', 'ServiceUnavailable', 'InternalError'])

const discovery = (operationId: string): Json => ({
  get: {
    operationId,
    summary: 'The discovery document of the OIDC server',
    tags,
    security: [],
    responses: {
      200: json('Addresses and abilities.', ref('OidcDiscovery'), discoveryExample),
      ...failureResponses(['RequestValidationError']),
      ...usual,
    },
  },
})

const authorization: Json = {
  get: {
    operationId: 'authorize',
    summary: 'Begins signing somebody in to an application (authorization code with PKCE)',
    description: 'Leads to the sign-in page, or at once back to the application with a code or an error.',
    tags,
    security: [],
    parameters: [
      query('client_id', true, 'Id of the application.'),
      query('response_type', true, 'Always `code`.', { type: 'string', enum: ['code'] }),
      query('redirect_uri', true, 'One of the registered addresses, exactly.', {
        type: 'string',
        format: 'uri',
      }),
      query('scope', true, '`openid`, further claims, resource scopes, `offline_access`.'),
      query('code_challenge', true, 'SHA-256 of the verifier in base64url.'),
      query('code_challenge_method', true, 'Always `S256`.', { type: 'string', enum: ['S256'] }),
      query('state', false, 'Comes back unchanged.'),
      query('nonce', false, 'Comes back in the id token.'),
      query('prompt', false, '`none`, `login`, `consent`.'),
      query('ui_locales', false, 'Languages of the pages.'),
    ],
    responses: {
      303: redirect('To the sign-in page, or back to the application.'),
      302: redirect('The same, from other states of the sign-in.'),
      400: failedPage('The request can not be answered to the application: a page says why.'),
      ...usual,
    },
  },
}

const token: Json = {
  post: {
    operationId: 'issueToken',
    summary: 'Exchanges a code, a refresh token or the credentials of a client for JWTs',
    description: `A refresh token works once; using it twice ends everything that came from it. ${CLIENT}`,
    tags,
    security: [{}, { clientSecret: [] }],
    requestBody: form(
      {
        grant_type: { type: 'string', enum: ['authorization_code', 'refresh_token', 'client_credentials'] },
        client_id: text('Id of the client.'),
        client_secret: text('Secret of a confidential client.'),
        code: text('The code that came back.'),
        code_verifier: text('What the challenge was made of.'),
        redirect_uri: text('The address the code was sent to.'),
        refresh_token: text('The newest refresh token.'),
        scope: text('Scopes of client credentials, or fewer than before.'),
      },
      ['grant_type'],
      { grant_type: 'refresh_token', client_id: 'my-app', refresh_token: 'Zk3fQ9w1…' },
    ),
    responses: {
      200: json('Tokens.', ref('TokenAnswer'), tokenExample),
      400: refused('The grant is not valid.'),
      401: refused('The client is not known by these credentials.'),
      ...failureResponses(['PayloadTooLarge', 'UnsupportedMediaType', 'TooManyRequests']),
      ...usual,
    },
  },
}

const userinfo: Json = {
  get: {
    operationId: 'getUserinfo',
    summary: 'The claims of the person a JWT stands for',
    tags,
    security: [{ jwt: [] }],
    responses: {
      200: json('Claims by the scopes of the token.', ref('Userinfo'), {
        sub: USER,
        email: 'ada@example.com',
      }),
      400: refused('No token was sent.'),
      401: refused('The token is not valid.'),
      403: refused('The token lacks the scope openid.'),
      ...usual,
    },
  },
}

const introspection: Json = {
  post: {
    operationId: 'introspectToken',
    summary: 'Says whether a token is valid, and what it stands for (RFC 7662)',
    description: CLIENT,
    tags,
    security: [{ clientSecret: [] }],
    requestBody: form(
      { token: text('The token.'), token_type_hint: text('`access_token` or `refresh_token`.') },
      ['token'],
      { token: 'eyJhbGciOiJSUzI1NiJ9…' },
    ),
    responses: {
      200: json('What it stands for.', ref('Introspection'), {
        active: true,
        sub: USER,
        client_id: 'my-app',
      }),
      400: refused('The request is not complete.'),
      401: refused('The client is not known by these credentials.'),
      ...failureResponses(['PayloadTooLarge', 'UnsupportedMediaType']),
      ...usual,
    },
  },
}

const revocation: Json = {
  post: {
    operationId: 'revokeToken',
    summary: 'Takes a token back, and the session of a JWT with it (RFC 7009)',
    description: CLIENT,
    tags,
    security: [{}, { clientSecret: [] }],
    requestBody: form({ token: text('The token.'), client_id: text('Id of a public client.') }, ['token'], {
      token: 'eyJhbGciOiJSUzI1NiJ9…',
      client_id: 'my-app',
    }),
    responses: {
      200: { description: 'It is not valid any more, or never was.' },
      400: refused('The request is not complete.'),
      401: refused('The client is not known by these credentials.'),
      ...failureResponses(['PayloadTooLarge', 'UnsupportedMediaType']),
      ...usual,
    },
  },
}

const endSession: Json = {
  get: {
    operationId: 'endOidcSession',
    summary: 'Signs somebody out of an application and of the platform, after they agreed',
    tags,
    security: [],
    parameters: [
      query('id_token_hint', false, 'The id token of the session.'),
      query('client_id', false, 'Id of the application.'),
      query('post_logout_redirect_uri', false, 'One of the registered addresses.'),
      query('state', false, 'Comes back unchanged.'),
    ],
    responses: {
      200: page('A page that asks.'),
      302: redirect('Nobody was signed in.'),
      303: redirect('Nobody was signed in.'),
      400: failedPage('The request can not be answered: a page says why.'),
      ...usual,
    },
  },
}

/** The OIDC server, which speaks by the standards and not by contracts of ours. */
export const oidcPaths: Record<string, Json> = {
  '/.well-known/openid-configuration': discovery('getDiscovery'),
  '/oidc/.well-known/openid-configuration': discovery('getDiscoveryOfIssuer'),
  '/oidc/auth': authorization,
  '/oidc/token': token,
  '/oidc/me': userinfo,
  '/oidc/token/introspection': introspection,
  '/oidc/token/revocation': revocation,
  '/oidc/session/end': endSession,
}
