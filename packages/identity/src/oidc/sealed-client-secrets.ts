import type { SealedColumn } from '../keys/master-keys/sealed-column.ts'

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
