import type { Json } from './declared.ts'

/** A reference to a schema of the document. */
export const ref = (name: string): Json => ({ $ref: `#/components/schemas/${name}` })

const text = (description?: string): Json => ({
  type: 'string',
  ...(description === undefined ? {} : { description }),
})
const address: Json = { type: 'string', format: 'uri' }
const texts: Json = { type: 'array', items: { type: 'string' } }

/** Shapes of the OIDC server's answers, as its standards define them. */
export const oidcSchemas: Record<string, Json> = {
  OAuthError: {
    description: 'What an OIDC server refuses (RFC 6749).',
    type: 'object',
    properties: { error: text('Stable name.'), error_description: text('One sentence.') },
    required: ['error'],
  },
  OidcDiscovery: {
    description: 'OpenID Connect Discovery 1.0.',
    type: 'object',
    properties: {
      issuer: address,
      authorization_endpoint: address,
      token_endpoint: address,
      userinfo_endpoint: address,
      jwks_uri: address,
      introspection_endpoint: address,
      revocation_endpoint: address,
      end_session_endpoint: address,
      scopes_supported: texts,
      response_types_supported: texts,
      grant_types_supported: texts,
      code_challenge_methods_supported: texts,
      token_endpoint_auth_methods_supported: texts,
      id_token_signing_alg_values_supported: texts,
    },
    required: ['issuer', 'authorization_endpoint', 'token_endpoint', 'jwks_uri'],
  },
  TokenAnswer: {
    type: 'object',
    properties: {
      access_token: text('A JWT that the API takes.'),
      token_type: { type: 'string', const: 'Bearer' },
      expires_in: { type: 'integer', description: 'Seconds.' },
      scope: text('Scopes, with spaces between them.'),
      id_token: text('Who signed in; with the scope openid.'),
      refresh_token: text('With the scope offline_access.'),
    },
    required: ['access_token', 'token_type', 'expires_in'],
  },
  Userinfo: {
    type: 'object',
    properties: { sub: text('Id of the user.'), email: text(), firstName: text(), lastName: text() },
    required: ['sub'],
  },
  Introspection: {
    type: 'object',
    properties: {
      active: { type: 'boolean' },
      sub: text('Id of the user or client.'),
      client_id: text(),
      scope: text(),
      exp: { type: 'integer', description: 'Unix seconds.' },
    },
    required: ['active'],
  },
}

const ISSUER = 'https://api.example.com/oidc'

export const discoveryExample: Json = {
  issuer: ISSUER,
  authorization_endpoint: `${ISSUER}/auth`,
  token_endpoint: `${ISSUER}/token`,
  userinfo_endpoint: `${ISSUER}/me`,
  jwks_uri: `${ISSUER}/jwks`,
  introspection_endpoint: `${ISSUER}/token/introspection`,
  revocation_endpoint: `${ISSUER}/token/revocation`,
  end_session_endpoint: `${ISSUER}/session/end`,
  scopes_supported: ['openid', 'profile', 'email', 'settings', 'offline_access'],
  response_types_supported: ['code'],
  grant_types_supported: ['authorization_code', 'refresh_token', 'client_credentials'],
  code_challenge_methods_supported: ['S256'],
}

export const oauthErrorExample: Json = {
  error: 'invalid_grant',
  error_description: 'grant request is invalid',
}

export const tokenExample: Json = {
  access_token: 'eyJhbGciOiJSUzI1NiJ9.…',
  token_type: 'Bearer',
  expires_in: 3600,
  scope: 'openid workspaces:read',
  refresh_token: 'Zk3fQ9w1…',
}
