import type { Audit } from '@platform/audit'
import { runtimeJwksUpdated } from '@platform/contracts'
import type { Database } from '@platform/database'
import type { Clock } from '@platform/kernel'
import type { Logger } from '@platform/logging'
import { masterKeyRing } from '@platform/master-keys'
import type { Outbox } from '@platform/outbox'
import { openApiKeys } from '@platform/permissions'
import type { Part } from '@platform/service'
import {
  type KeyPlace,
  KeyRing,
  keyOpener,
  reloadOn,
  replaceDeletedSigner,
  resealSigningKeys,
  rotate,
  rotateSigningKeys,
  sealedKeys,
  signingKeyStore,
} from '@platform/signing-keys'
import type { RuntimeConfig } from '../config.ts'
import { OwnApi } from '../fetches/own-api.ts'
import { RunTokens } from './run-tokens.ts'

/** The keys that sign what runs say of themselves; the gateway sees their public halves. */
const runtimeKeys: KeyPlace = {
  table: 'runtime.signing_keys',
  publishesIn: 'public_jwk',
  service: 'runtime',
  announcements: [runtimeJwksUpdated],
  auditDetails: { service: 'runtime' },
}

interface Needs {
  readonly database: Database
  readonly outbox: Outbox
  readonly audit: Audit
  readonly config: Pick<RuntimeConfig, 'keys' | 'issuer' | 'urls' | 'internalApiUrl' | 'modules'>
  readonly clock: Clock
  readonly log: Logger
}

/** Calls of our own API, and what signs for them. */
export async function openOwnApi(needs: Needs): Promise<{ own: OwnApi; part: Part }> {
  const { tokens, part } = await openRunTokens(needs)
  const apiKeys = await openApiKeys(needs.database)
  const { urls, internalApiUrl } = needs.config
  const own = new OwnApi({
    apiUrl: urls.apiUrl,
    internalApiUrl,
    tokens,
    findApiKey: async (workspaceId, name) => (await apiKeys.findLiveByName(workspaceId, name))?.id,
  })
  return { own, part }
}

/**
 * What signs for runs, and its keys. Without master keys there is nothing: no private key is kept unsealed. Rejects
 * where keys are there that can't be opened: a start with the wrong master key must not go on.
 */
async function openRunTokens(needs: Needs): Promise<{ tokens: RunTokens | undefined; part: Part }> {
  const { database, outbox, audit, clock, log, config } = needs
  const { keys: policy, issuer } = config
  if (config.modules.masterKeys === undefined) return { tokens: undefined, part: {} }
  const place = runtimeKeys
  const masterKeys = masterKeyRing(config.modules.masterKeys)
  const signingKeys = signingKeyStore(database, place)
  const sealed = sealedKeys(masterKeys, place)
  const open = keyOpener(sealed, log)
  const keyRing = new KeyRing(async () => open(await signingKeys.list()), clock)
  await keyRing.reload()
  const change = { place, signingKeys, sealed, keyRing, outbox, audit, clock, policy }
  replaceDeletedSigner({ ...change, log })
  const makeKey = () => rotate(change)
  return {
    tokens: new RunTokens({ keyRing, makeKey, issuer, audience: config.urls.apiUrl, clock }),
    part: {
      subscriptions: [reloadOn(runtimeJwksUpdated, { keyRing, log })],
      jobs: [
        // The first key is made soon, or when it is needed first: no start waits for it.
        { ...rotateSigningKeys(change), name: 'rotate-runtime-keys', requiredAtStart: false },
        { ...resealSigningKeys({ database, masterKeys, place, log }), name: 'reseal-runtime-keys' },
      ],
    },
  }
}
