import type { ServiceName, SigningKeysUpdated } from '@platform/contracts'

/** The keys that a service signs with: where they are kept, and who is told of a change. */
export interface KeyPlace {
  /** With its schema, for example `gateway.signing_keys`. */
  readonly table: string
  /** The column that shows the public half to whoever verifies by this table. */
  readonly publishesIn?: string
  readonly service: ServiceName
  /** Emitted with each change. */
  readonly announcements: readonly SigningKeysUpdated[]
  /** Told by the audit trail beside each change. */
  readonly auditDetails?: Readonly<Record<string, unknown>>
}
