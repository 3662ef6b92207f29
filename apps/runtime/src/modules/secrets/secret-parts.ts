import type { Database } from '@platform/database'
import type { Clock } from '@platform/kernel'
import type { MasterKeyRing } from '@platform/master-keys'
import type { Overrides } from '../../overrides/overrides.ts'

/** Where a secret stands. */
export interface SecretPlace {
  readonly workspaceId: string
  /** `system` for those that only operators set: no automation comes to one of them. */
  readonly scope: 'user' | 'workspace' | 'system'
  /** The user; empty where it is the workspace's. */
  readonly owner: string
  readonly name: string
}

/** What the module needs. */
export interface SecretParts {
  readonly database: Database
  /** Missing where SECRETS_MASTER_KEYS is not set. */
  readonly masterKeys: MasterKeyRing | undefined
  readonly clock: Clock
  /** What operators have set, and counts before what is stored. */
  readonly overrides: Overrides
  /** Most of one workspace. */
  readonly max: number
}

/** What a value is sealed for: it opens nowhere else. */
export const sealContextOf = ({ workspaceId, scope, owner, name }: SecretPlace): string =>
  `runtime.secrets|${JSON.stringify([workspaceId, scope, owner, name])}|sealed`
