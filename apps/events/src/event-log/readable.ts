import type { Principal } from '@platform/auth'
import type { Admission } from '@platform/permissions'
import type { Filter } from '@platform/search'
import { audienceOf } from './audience.ts'

/** Everything; an empty conjunction holds. */
const everything: Filter = { all: [] }

/** What tells of the keys of a workspace is for owners only, and no API key's business (reference permissions 4.5). */
const noSecurityEvents: Filter = { not: { path: 'type', like: 'apikeys.*' } }

/** A caller and what let them in. */
export interface AdmittedReader {
  principal: Principal
  admission: Pick<Admission, 'role' | 'by'>
  /** Of a socket. */
  socketId?: string
}

/** Owners, super administrators and the platform itself see every event, whoever it is for. */
export const seesEverything = ({ role, by }: AdmittedReader['admission']): boolean =>
  role === 'owner' || by === 'power'

/**
 * The events of a workspace an admitted caller may read: those of its security are for owners, those with an audience
 * for it. It is part of every question to the log: pages are never short, and nothing is counted that may not be
 * seen. Feed, search and live streams share it; usage is a number about all events, whoever they were for.
 */
export const readable = ({ principal, admission, socketId }: AdmittedReader): Filter =>
  seesEverything(admission) ? everything : { all: [noSecurityEvents, audienceOf(principal, socketId)] }

/** What was asked for, as far as the caller may read it. */
export function readableOf(reader: AdmittedReader, asked: Filter): Filter {
  const allowed = readable(reader)
  return allowed === everything ? asked : { all: [asked, allowed] }
}
