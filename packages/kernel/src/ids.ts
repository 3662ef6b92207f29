import { hash, randomBytes, randomUUID } from 'node:crypto'

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const LOWER36 = 'abcdefghijklmnopqrstuvwxyz0123456789'
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** Of the last identifier: its millisecond, and the number that those of the same one count on from. */
let last = { ms: 0, count: 0 }
const COUNT_MAX = 0xffe

/**
 * Time-ordered identifier (RFC 9562 version 7); tables that grow are partitioned by it. Those that a process makes in
 * one millisecond come one after another as well: they count on in twelve bits (section 6.2, method 1).
 */
export function uuidv7(nowMs: number = Date.now()): string {
  // The random part of a version 4 stands where it stands in a version 7, and Node draws them from the system many at
  // a time.
  const random = randomUUID()
  const isNext = nowMs === last.ms && last.count < COUNT_MAX
  const count = isNext ? last.count + 1 : Number.parseInt(random.slice(15, 18), 16) & 0x7ff
  last = { ms: nowMs, count }
  return `${timePart(nowMs)}-7${count.toString(16).padStart(3, '0')}${random.slice(18)}`
}

/**
 * The UUIDv7 that belongs to `parts`: the same parts give the same id, so work done again can't double its effect.
 * `timeOf` is an id whose instant the new one takes over, so both fall into the same partition. Throws when it is no
 * UUIDv7. It carries a mark, so that a caller who may choose ids can't take one before the work that it belongs to:
 * `isDerivedUuid`.
 */
export function derivedUuidv7(timeOf: string, ...parts: (string | number)[]): string {
  requireUuidv7(timeOf)
  const hex = hash('sha256', parts.join('\u0000'))
  const variant = (8 + (Number.parseInt(hex.slice(3, 4), 16) & 3)).toString(16)
  // The 20 bits after the version and the variant are all set: one in a million of other ids has that by chance.
  return `${timeOf.slice(0, TIME_LENGTH)}-7fff-${variant}ff${hex.slice(6, 7)}-${hex.slice(7, 19)}`
}

/** The twelve digits of the instant at the beginning, with the hyphen between them. */
const TIME_LENGTH = 13

/** True for ids of `derivedUuidv7`, and for one in a million of others. */
export const isDerivedUuid = (id: string): boolean => id.slice(14, 18) === '7fff' && id.slice(20, 22) === 'ff'

/**
 * The instant inside a UUIDv7, in Unix milliseconds. Throws for any other text: its digits would be read as some
 * instant.
 */
export function uuidv7Ms(id: string): number {
  requireUuidv7(id)
  return Number.parseInt(id.slice(0, 8) + id.slice(9, TIME_LENGTH), 16)
}

function requireUuidv7(id: string): void {
  if (!UUID.test(id) || id[14] !== '7') throw new Error('Only a UUIDv7 holds an instant.')
}

/** The lowest UUIDv7 of an instant in Unix milliseconds: ranges of time are ranges of ids. */
export function lowestUuidv7(ms: number): string {
  const hex = ms.toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`
}

/** True for a lower-case UUID of any version. */
export const isUuid = (text: string): boolean => UUID.test(text)

/** `length` characters of [0-9A-Za-z] from a CSPRNG. */
export const randomBase62 = (length: number): string => randomText(BASE62, length)

/** A workspace id: 16 characters [a-z0-9], the first a letter. */
export const newWorkspaceId = (): string => randomText(LOWER36.slice(0, 26), 1) + randomText(LOWER36, 15)

/** The first twelve digits, as they are written. */
function timePart(ms: number): string {
  const time = Math.max(0, Math.trunc(ms)).toString(16).padStart(12, '0').slice(-12)
  return `${time.slice(0, 8)}-${time.slice(8)}`
}

/** Rejection sampling: every character is equally likely. */
function randomText(alphabet: string, length: number): string {
  const limit = 256 - (256 % alphabet.length)
  let text = ''
  while (text.length < length) {
    for (const byte of randomBytes(length * 2)) {
      if (byte < limit && text.length < length) text += alphabet[byte % alphabet.length]
    }
  }
  return text
}
