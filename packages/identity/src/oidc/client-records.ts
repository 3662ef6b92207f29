import type { Audit, AuditEntry } from '@platform/audit'
import type { Database, Queries } from '@platform/database'
import type { MasterKeyRing } from '@platform/master-keys'
import { type Adapter, type AdapterPayload, Provider } from 'oidc-provider'
import type { SealedColumn } from '../keys/master-keys/sealed-column-store.ts'
import { scopesOf } from './client-rights.ts'
import { consentStore } from './consent-store.ts'
import type { GrantSessions } from './grant-sessions.ts'
import { oidcRecordStore } from './oidc-record-store.ts'

/** What registered clients are kept with. */
export interface ClientRecordNeeds {
  database: Database
  masterKeys: Pick<MasterKeyRing, 'seal' | 'open'>
  audit: Pick<Audit, 'record'>
  grantSessions: Pick<GrantSessions, 'endClient'>
}

/**
 * Only what was registered is kept: defaults follow the server, the algorithm of id tokens for example the signing
 * key.
 */
const kept = [
  'client_id',
  'client_id_issued_at',
  'client_name',
  'application_type',
  'redirect_uris',
  'post_logout_redirect_uris',
  'grant_types',
  'response_types',
  'token_endpoint_auth_method',
  'client_secret_expires_at',
  'allowedResources',
  'resourceScopes',
]

/** Where registered clients are kept: their secrets sealed, every change with its row in the audit trail. */
export const clientRecords = (needs: ClientRecordNeeds): Pick<Adapter, 'upsert' | 'find' | 'destroy'> => ({
  async upsert(id, payload) {
    const before = await needs.database.transaction(async (tx) => {
      const records = oidcRecordStore(tx)
      const known = await records.find('Client', id)
      await records.upsert('Client', id, sealed(id, payload, needs), undefined)
      await needs.audit.record(tx, known === undefined ? registered(id, payload) : changed(id, payload))
      return known
    })
    // Tokens say what a client could do when they were made.
    if (before !== undefined && losesScopes(before, payload)) await needs.grantSessions.endClient(id)
  },

  async find(id) {
    const found = await oidcRecordStore(needs.database).find('Client', id)
    return found && opened(id, found, needs)
  },

  async destroy(id) {
    await needs.database.transaction((tx) => remove(tx, id, needs))
    await needs.grantSessions.endClient(id)
  },
})

async function remove(tx: Queries, id: string, { audit }: ClientRecordNeeds): Promise<void> {
  await oidcRecordStore(tx).destroy('Client', id)
  await consentStore(tx).destroyOfClient(id)
  await audit.record(tx, { ...changed(id, {}), details: { removed: true } })
}

const losesScopes = (before: AdapterPayload, after: AdapterPayload): boolean => {
  const left = new Set(scopesOf(after))
  return scopesOf(before).some((scope) => !left.has(scope))
}

function sealed(id: string, payload: AdapterPayload, { masterKeys }: ClientRecordNeeds): AdapterPayload {
  const { client_secret: secret } = payload
  const plain = Object.fromEntries(Object.entries(payload).filter(([name]) => kept.includes(name)))
  return typeof secret === 'string'
    ? { ...plain, sealedSecret: masterKeys.seal(secret, clientSecretContext(id)) }
    : plain
}

function opened(id: string, record: AdapterPayload, { masterKeys }: ClientRecordNeeds): AdapterPayload {
  const { sealedSecret, jti: _, ...client } = record
  if (typeof sealedSecret !== 'string') return client
  return { ...client, client_secret: masterKeys.open(sealedSecret, clientSecretContext(id)) }
}

/** The initial access token is the operator's. */
const registered = (id: string, payload: AdapterPayload): AuditEntry => ({
  ...entryOf(id, payload),
  action: 'oidcClient.registered',
  actor: 'platform',
})

/** The registration access token is the client's own. */
const changed = (id: string, payload: AdapterPayload): AuditEntry => ({
  ...entryOf(id, payload),
  action: 'oidcClient.changed',
  actor: `client:${id}`,
})

function entryOf(id: string, { client_name, redirect_uris, resourceScopes }: AdapterPayload) {
  const { ctx } = Provider
  const correlationId = ctx?.res.getHeader('x-correlation-id')
  return {
    subject: `client:${id}`,
    ip: ctx?.ip,
    correlationId: typeof correlationId === 'string' ? correlationId : undefined,
    details: { client_name, redirect_uris, resourceScopes },
  }
}

/** What the secret of a client is bound to. */
export const clientSecretContext = (clientId: string): string =>
  `gateway.oidc_records|Client:${clientId}|client_secret`

/** The secrets of registered clients, inside their records. */
export const sealedClientSecrets: SealedColumn = {
  table: 'gateway.oidc_records',
  key: 'id',
  column: "payload ->> 'sealedSecret'",
  assignment: "payload = jsonb_set(payload, '{sealedSecret}', to_jsonb(new_text))",
  where: "model = 'Client'",
  place: clientSecretContext,
}
