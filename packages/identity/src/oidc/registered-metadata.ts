import { resourceScopes } from '@platform/contracts'
import { errors } from 'oidc-provider'
import { z } from 'zod'
import { redirectProblem } from './redirect-address.ts'

/** Characters that turn the text around them or can't be seen: a name with them could pretend to be another. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u

const addresses = z.array(z.string()).max(50)

/**
 * Everything a registration may say. Nothing in it is ever fetched, and nothing of it lets a client choose its own id
 * or secret.
 */
const metadata = z.strictObject({
  client_name: z
    .string()
    .trim()
    .min(1)
    .max(100)
    .refine((name) => !UNSEEN.test(name), 'holds a character that can’t be seen'),
  application_type: z.enum(['web', 'native']).default('web'),
  redirect_uris: addresses.default([]),
  post_logout_redirect_uris: addresses.default([]),
  grant_types: z
    .array(z.enum(['authorization_code', 'refresh_token', 'client_credentials']))
    .min(1)
    .default(['authorization_code']),
  response_types: z.array(z.literal('code')).max(1).optional(),
  token_endpoint_auth_method: z
    .enum(['client_secret_basic', 'client_secret_post', 'none'])
    .default('client_secret_basic'),
  allowedResources: z.array(z.string()).min(1),
  resourceScopes: z.union([z.string(), z.array(z.string())]),
})

/** A change also repeats which client it is about (RFC 7592 2.2). */
const change = metadata.extend({ client_id: z.string(), client_secret: z.string().optional() })

/** What a registration asks for, checked and with every default filled in. */
export interface RegisteredMetadata extends Record<string, unknown> {
  redirect_uris: string[]
  post_logout_redirect_uris: string[]
  response_types: 'code'[]
  resourceScopes: string
}

/** Checks the metadata of a registration or of a change of one. Throws InvalidClientMetadata with a sentence. */
export function registeredMetadata(
  body: unknown,
  { apiUrl, isChange }: { apiUrl: string; isChange: boolean },
): RegisteredMetadata {
  const parsed = (isChange ? change : metadata).safeParse(body)
  if (!parsed.success) throw refused(sentenceOf(parsed.error))
  const client = parsed.data
  requireRedirects(client)
  requireGrants(client)
  if (client.allowedResources.some((resource) => resource !== apiUrl))
    throw refused(`allowedResources may only name ${apiUrl}.`)
  const codes: 'code'[] = client.grant_types.includes('authorization_code') ? ['code'] : []
  const { allowedResources, application_type, client_name, grant_types, redirect_uris } = client
  const { post_logout_redirect_uris, token_endpoint_auth_method } = client
  return {
    ...{ allowedResources, application_type, client_name, grant_types, redirect_uris },
    ...{ post_logout_redirect_uris, token_endpoint_auth_method },
    response_types: codes,
    resourceScopes: scopeTextOf(client.resourceScopes),
  }
}

type Client = z.output<typeof metadata>

function requireRedirects({ application_type, redirect_uris, post_logout_redirect_uris }: Client): void {
  for (const address of [...redirect_uris, ...post_logout_redirect_uris]) {
    const problem = redirectProblem(address, application_type)
    // A sentence that begins with this name is answered as invalid_redirect_uri (RFC 7591 3.2.2).
    if (problem !== undefined)
      throw refused(`redirect_uris: ${JSON.stringify(address.slice(0, 200))} ${problem}.`)
  }
}

function requireGrants({
  grant_types,
  redirect_uris,
  response_types,
  token_endpoint_auth_method,
}: Client): void {
  const signsIn = grant_types.includes('authorization_code')
  if (signsIn !== redirect_uris.length > 0)
    throw refused('redirect_uris and the grant type authorization_code need each other.')
  if (response_types !== undefined && signsIn !== response_types.length > 0)
    throw refused(
      'response_types must be ["code"] with the grant type authorization_code, and empty without.',
    )
  if (grant_types.includes('refresh_token') && !signsIn)
    throw refused('The grant type refresh_token needs authorization_code.')
  if (grant_types.includes('client_credentials') && token_endpoint_auth_method === 'none')
    throw refused('A client without a secret can’t have the grant type client_credentials.')
}

/** Space-separated, each once; a list is accepted too. */
function scopeTextOf(given: string | string[]): string {
  const scopes = [...new Set(Array.isArray(given) ? given : given.split(' ').filter(Boolean))]
  const wrong = scopes.find((scope) => !(resourceScopes as readonly string[]).includes(scope))
  if (wrong !== undefined)
    throw refused(
      `resourceScopes may name ${resourceScopes.join(', ')}; not ${JSON.stringify(wrong.slice(0, 100))}.`,
    )
  return scopes.join(' ')
}

function sentenceOf(error: z.ZodError): string {
  const [issue] = error.issues
  if (issue?.code === 'unrecognized_keys')
    return `${issue.keys.slice(0, 5).join(', ').slice(0, 200)} is nothing a client can be registered with.`
  const place = (issue?.path ?? []).join('.')
  return `${place === '' ? 'The metadata' : place}: ${issue?.message ?? 'is not valid'}.`
}

const refused = (sentence: string) => new errors.InvalidClientMetadata(sentence)
