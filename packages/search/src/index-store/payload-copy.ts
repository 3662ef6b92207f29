import { isStorable } from '../filter.ts'

/** Beyond these a flattened field refuses the whole document (a term has at most 32,766 bytes, a field 20 levels). */
const TEXT_MAX = 8000
const KEY_MAX = 128
const DEPTH_MAX = 15

/** What of a payload may be indexed as one flattened field. */
export interface PayloadCopy {
  copy: Record<string, unknown>
  /** Something is not in the copy. */
  trimmed: boolean
}

/** A copy without what a flattened field would refuse; the event itself is stored whole beside it. */
export function payloadCopy(payload: Record<string, unknown>): PayloadCopy {
  const state = { trimmed: false }
  return { copy: copyFields(payload, 1, state), trimmed: state.trimmed }
}

interface State {
  trimmed: boolean
}

const LEFT_OUT = Symbol('left out')

function copyFields(object: object, depth: number, state: State): Record<string, unknown> {
  const fields = Object.entries(object).flatMap(([key, value]) => {
    if (value === undefined) return []
    const copied = isPlainKey(key) ? copyValue(value, depth, state) : LEFT_OUT
    if (copied !== LEFT_OUT) return [[key, copied] as const]
    state.trimmed = true
    return []
  })
  return Object.fromEntries(fields)
}

function copyValue(value: unknown, depth: number, state: State): unknown {
  if (typeof value === 'string') return value.length <= TEXT_MAX && isStorable(value) ? value : LEFT_OUT
  if (typeof value !== 'object' || value === null) return value
  if (depth >= DEPTH_MAX) return LEFT_OUT
  if (Array.isArray(value)) return copyList(value, depth, state)
  return copyFields(value, depth + 1, state)
}

/** Lists within lists are not copied: no filter looks into them. */
function copyList(list: readonly unknown[], depth: number, state: State): unknown[] {
  const copied = list.map((element) => (Array.isArray(element) ? LEFT_OUT : copyValue(element, depth, state)))
  const elements = copied.filter((element) => element !== LEFT_OUT)
  if (elements.length < list.length) state.trimmed = true
  return elements
}

/** Dots would make levels of a key; control characters part paths from values inside the store. */
const isPlainKey = (key: string): boolean =>
  key !== '' && key.length <= KEY_MAX && isStorable(key) && !/[.\p{Cc}]/u.test(key) && key.trim() === key
