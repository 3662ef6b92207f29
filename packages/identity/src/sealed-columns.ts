import { sealedTotpSecrets } from './credentials/second-factors/totp-second-factors.ts'
import { sealedSigningKeys } from './keys/keys-part.ts'
import type { SealedColumn } from './keys/master-keys/sealed-column-store.ts'
import { sealedMails } from './mails/mail.ts'
import { sealedClientSecrets } from './oidc/client-records.ts'
import { sealedProviderSecrets } from './oidc/external-providers/auth-provider-store.ts'

/** Everything of identity that master keys have sealed and that lives for longer than minutes. */
export const sealedColumns: readonly SealedColumn[] = [
  sealedSigningKeys,
  ...sealedTotpSecrets,
  sealedMails,
  sealedProviderSecrets,
  sealedClientSecrets,
]
