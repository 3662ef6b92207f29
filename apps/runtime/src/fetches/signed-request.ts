import { AwsV4Signer } from 'aws4fetch'
import type { FetchRequest } from './fetch-request.ts'
import { encodedForm } from './multipart.ts'
import type { OauthTokens } from './oauth-tokens.ts'
import { type AwsSignature, basicCredentials, type ClientCredentials } from './request-auth.ts'

/** What one attempt sends. */
export interface SignedRequest {
  readonly url: URL
  readonly headers: Headers
  readonly body: string | Uint8Array<ArrayBuffer> | undefined
}

/** For whom a request is signed, and who is told of the token that it has then. */
export interface Signer {
  readonly workspaceId: string
  readonly tokens: OauthTokens
  readonly onToken?: ((token: string) => void) | undefined
}

/**
 * The request with what shows who sends it. A header `Authorization` of the automation's own is left as it is. Rejects
 * as the question for a token does.
 */
export async function signedRequest(
  request: FetchRequest,
  given: Headers,
  by: Signer,
): Promise<SignedRequest> {
  const { auth, url, parts } = request
  const headers = new Headers(given)
  let body: SignedRequest['body'] = request.body
  if (parts !== undefined) {
    const form = encodedForm(parts)
    headers.set('content-type', form.contentType)
    body = form.bytes
  }
  const unsigned = { url, headers, body }
  if (auth === undefined || headers.has('authorization')) return unsigned
  if (auth.kind === 'awsv4') return await signedForAws(unsigned, request.method, auth)
  const shown =
    auth.kind === 'basic' ? `Basic ${basicCredentials(auth)}` : `Bearer ${await tokenFor(auth, by)}`
  headers.set('authorization', shown)
  return unsigned
}

async function tokenFor(
  client: ClientCredentials,
  { workspaceId, tokens, onToken }: Signer,
): Promise<string> {
  const token = await tokens.tokenOf(workspaceId, client)
  onToken?.(token)
  return token
}

async function signedForAws(
  { url, headers, body }: SignedRequest,
  method: string,
  { kind: _kind, accessKeyId, secretAccessKey, ...more }: AwsSignature,
): Promise<SignedRequest> {
  const known = Object.fromEntries(Object.entries(more).filter(([, value]) => value !== undefined))
  const sent = body === undefined ? {} : { body }
  const signer = new AwsV4Signer({
    ...{ url: url.href, method, headers, ...sent },
    ...{ accessKeyId, secretAccessKey, ...known },
  })
  const signed = await signer.sign()
  return { url: new URL(signed.url), headers: new Headers(signed.headers), body }
}
