import { sliceText } from '@platform/kernel'

const MAX_ITEMS = 50

/**
 * A value PostgreSQL can keep as JSON: no NUL characters, no halves of surrogate pairs. With `maxText`, long texts
 * and lists are cut as well, for places where something short is better than nothing.
 */
export function storable(value: unknown, maxText = Number.POSITIVE_INFINITY, depth = 0): unknown {
  if (typeof value === 'string') return sliceText(storableText(value), 0, maxText)
  if (typeof value !== 'object' || value === null) return value
  if (depth > 60) return null
  const limit = Number.isFinite(maxText) ? MAX_ITEMS : Number.POSITIVE_INFINITY
  if (Array.isArray(value)) return value.slice(0, limit).map((item) => storable(item, maxText, depth + 1))
  const entries = Object.entries(value).slice(0, limit)
  return Object.fromEntries(
    entries.map(([key, item]) => [storableText(key), storable(item, maxText, depth + 1)]),
  )
}

/** The JSON of a value as PostgreSQL takes it. */
export function storableJson(value: unknown): string {
  const text = JSON.stringify(value)
  // Nearly no text holds such an escape; looking for it is cheaper than a walk through the value.
  return text.includes('\\u0000') || text.includes('\\ud') ? JSON.stringify(storable(value)) : text
}

const storableText = (text: string): string => text.replaceAll('\u0000', '').toWellFormed()
