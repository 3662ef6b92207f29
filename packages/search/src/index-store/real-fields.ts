import { HOST_TEXTS, SOURCE_INTEGERS, SOURCE_TEXTS } from './indexed-document.ts'

/** Paths whose values stand in a field of their own: sorted and counted without a look at the terms of all values. */
export const TEXT_FIELDS: ReadonlySet<string> = new Set([
  'type',
  ...SOURCE_TEXTS.map((name) => `source.${name}`),
  ...HOST_TEXTS.map((name) => `source.host.${name}`),
])
export const NUMBER_FIELDS: ReadonlySet<string> = new Set([
  'size',
  ...SOURCE_INTEGERS.map((name) => `source.${name}`),
])
/** The one date. */
export const DATE_FIELD = 'createdAt'

export const isSortable = (path: string): boolean =>
  path === DATE_FIELD || TEXT_FIELDS.has(path) || NUMBER_FIELDS.has(path)
