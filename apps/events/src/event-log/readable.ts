import type { Admission } from '@platform/permissions'
import type { Filter } from '@platform/search'

/** Everything; an empty conjunction holds. */
const everything: Filter = { all: [] }

/** What tells of the keys of a workspace is for owners only, and no API key's business (reference permissions 4.5). */
const noSecurityEvents: Filter = { not: { path: 'type', like: 'apikeys.*' } }

/**
 * The events of a workspace an admitted caller may read. It is part of every question to the log: pages are never short, and nothing is
 * counted that may not be seen. Feed, search, live streams and usage share it.
 */
export const readable = ({ role, by }: Pick<Admission, 'role' | 'by'>): Filter =>
  role === 'owner' || by === 'power' ? everything : noSecurityEvents

/** What was asked for, as far as the caller may read it. */
export function readableOf(admission: Pick<Admission, 'role' | 'by'>, asked: Filter): Filter {
  const allowed = readable(admission)
  return allowed === everything ? asked : { all: [asked, allowed] }
}
