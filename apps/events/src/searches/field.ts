import { isEventPath } from '../event-log/event-path.ts'
import { refusal } from './reading.ts'

const otherNames: ReadonlyMap<string, string> = new Map([
  ['@timestamp', 'createdAt'],
  ['_id', 'id'],
])

const searchable = /^(?:type|id|createdAt|size|(?:source|payload|target|error)\.)/

/**
 * The path that a search means by the name of a field. `.keyword` at its end is dropped, as stored texts are always
 * whole values; a field of the payload that is itself called `keyword` is meant by `payload.keyword` only.
 */
export function fieldPath(name: string, path: string): string {
  const known = otherNames.get(name) ?? name
  const bare = known.replace(/\.keyword$/, '')
  const found = [bare, known].find((one) => searchable.test(one) && isEventPath(one))
  if (found !== undefined) return found
  throw refusal(
    path,
    `"${name.slice(0, 100)}" is no field of events: use type, createdAt, id, size, or a path in source, payload, target or error`,
  )
}
