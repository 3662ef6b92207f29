import { Failure } from '@platform/kernel'
import type { CredentialResolver } from './authenticate.ts'
import type { Caller } from './caller.ts'
import { hashToken } from './token-checksum.ts'

/** Recognises the x-platform-api-key header. The whole key is hashed, so one with another slug is unknown (decisions C5). */
export const apiKeyCredential =
  (findKey: (keyHash: string) => Promise<Caller | undefined>): CredentialResolver =>
  ({ apiKey }) =>
    apiKey === undefined ? undefined : requireKey(apiKey, findKey)

async function requireKey(
  apiKey: string,
  findKey: (keyHash: string) => Promise<Caller | undefined>,
): Promise<Caller> {
  const caller = apiKey.startsWith('iak_') ? await findKey(hashToken(apiKey)) : undefined
  if (caller === undefined)
    throw new Failure('AuthenticationError', 'The API key is not valid or was deleted.')
  return caller
}
