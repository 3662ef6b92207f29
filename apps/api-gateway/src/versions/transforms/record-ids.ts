import { isRecord } from '@platform/kernel'

/** `_id` becomes `id`. */
export function idWithoutUnderscore(body: unknown): unknown {
  if (!isRecord(body) || !Object.hasOwn(body, '_id')) return body
  const { _id, ...rest } = body
  return { id: _id, ...rest }
}

/** `id` comes beside `_id`. */
export function idBesideUnderscore(body: unknown): unknown {
  if (!isRecord(body) || !Object.hasOwn(body, '_id')) return body
  const { _id, ...rest } = body
  return { _id, id: _id, ...rest }
}

/** `id` becomes `_id`; where both are, `_id` counts. */
export function idWithUnderscore(body: unknown): unknown {
  if (!isRecord(body) || !Object.hasOwn(body, 'id')) return body
  const { id, ...rest } = body
  return { _id: id, ...rest }
}

/** Does the same to each entry of a list. */
export const each =
  (change: (entry: unknown) => unknown) =>
  (body: unknown): unknown =>
    Array.isArray(body) ? body.map(change) : body
