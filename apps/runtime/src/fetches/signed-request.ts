import { AwsV4Signer } from 'aws4fetch'
import type { FetchRequest } from './fetch-request.ts'
import { encodedForm } from './multipart.ts'
import type { OauthTokens } from './oauth-tokens.ts'
import type { AwsSignature } from './request-auth.ts'

/** What one attempt sends. */
export interface SignedRequest {
  readonly url: URL
  readonly headers: Headers
  readonly body: string | Uint8Array<ArrayBuffer> | undefined
}

/**
 * The request with what shows who sends it. A header `Authorization` of the automation's own is left as it is. Rejects
 * as the question for a token does.
 */
export async function signedRequest(
  request: FetchRequest,
  given: Headers,
  { workspaceId, tokens }: { workspaceId: string; tokens: OauthTokens },
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
    auth.kind === 'basic'
      ? `Basic ${Buffer.from(`${auth.user}:${auth.password}`).toString('base64')}`
      : `Bearer ${await tokens.tokenOf(workspaceId, auth)}`
  headers.set('authorization', shown)
  return unsigned
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
