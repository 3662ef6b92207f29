import { deleteApiKey, listApiKeys, type DatedChange as ShownChange, updateApiKey } from '@platform/contracts'
import { isRecord } from '@platform/kernel'
import { each } from './record-ids.ts'
import type { Transform } from './transform.ts'

/**
 * A change within v2 and how it is undone for a caller who asks for an earlier date. Each is told in
 * docs/api-changes.md.
 */
export interface DatedChange extends ShownChange {
  readonly transforms: readonly Transform[]
}

const before = (names: readonly string[]) => (body: unknown) =>
  isRecord(body)
    ? Object.fromEntries(names.filter((name) => name in body).map((name) => [name, body[name]]))
    : body

const shownKey = before(['apiKey', 'name', 'rules', 'subjectId', 'subjectType'])
const ruleInput = before(['action', 'subject'])

/** A key could be sent back as it had been shown; only its name and what its rules grant was read. */
function replacedKey(body: unknown): unknown {
  const read = before(['name', 'rules'])(body)
  return isRecord(read) && 'rules' in read ? { ...read, rules: each(ruleInput)(read.rules) } : read
}

/** All dated changes of v2, oldest first. */
export const datedChanges: readonly DatedChange[] = [
  {
    date: '2026-11-21',
    resource: 'API keys',
    summary:
      'Keys in lists and edits also show _id, disabled, expiresAt, createdBy and the times they were made, ' +
      'changed and used; a deleted key shows its _id. PUT takes expiresAt and disabled and refuses fields it does ' +
      'not know. Before, keys were shown as at their creation, and PUT read name and rules and nothing else.',
    transforms: [
      { contract: listApiKeys, down: each(shownKey) },
      { contract: updateApiKey, up: replacedKey, down: shownKey },
      { contract: deleteApiKey, down: before(['apiKey']) },
    ],
  },
]
