import { sliceText } from '@platform/kernel'
import { grow, type Run } from '../run.ts'
import { utf8Length } from '../values/encoded-length.ts'
import { toText } from '../values/text.ts'

type Parameters = readonly unknown[]

function textOf(value: unknown, run: Run): string {
  const text = toText(value, run)
  grow(run, text.length)
  return text
}

/** The text in lower case. */
export const lower = ([value]: Parameters, run: Run) => casedText(value, run).toLowerCase()

/** The text in upper case. */
export const upper = ([value]: Parameters, run: Run) => casedText(value, run).toUpperCase()

// Some characters become up to three in the other case: ß is SS.
function casedText(value: unknown, run: Run): string {
  const text = textOf(value, run)
  grow(run, utf8Length(text) - text.length)
  return text
}

/** truncate(text, length, ellipsis): the ellipsis is added only when something was cut off. */
export function truncate([value, length, ellipsis]: Parameters, run: Run): string {
  const text = textOf(value, run)
  const kept = Number(length)
  if (!Number.isFinite(kept) || text.length <= kept) return text
  return sliceText(text, 0, Math.max(0, kept)) + (ellipsis === undefined ? '...' : textOf(ellipsis, run))
}

const markup = /[<>&]/g
const beyondBasicPlane = /[\u{10000}-\u{10ffff}]/gu

/** Makes text harmless inside HTML: markup characters become entities, emoji and other rare planes go. */
export function sanitize([value]: Parameters, run: Run): string {
  const text = textOf(value, run)
  grow(run, text.length * 4)
  return text.replace(beyondBasicPlane, '').replace(markup, (character) => `&#${character.charCodeAt(0)};`)
}

/** Base64 of the text's UTF-8 bytes. */
export function base64([value]: Parameters, run: Run): string {
  const text = textOf(value, run)
  grow(run, utf8Length(text) * 5)
  const bytes = new TextEncoder().encode(text)
  const chunks: string[] = []
  for (let at = 0; at < bytes.length; at += 8_192) {
    chunks.push(String.fromCharCode(...bytes.subarray(at, at + 8_192)))
  }
  return btoa(chunks.join(''))
}

/** A random unique id without dashes. */
export function uuid(_: Parameters, run: Run): string {
  return (run.options.uuid?.() ?? randomId()).replaceAll('-', '')
}

// crypto.randomUUID is missing on pages without TLS, getRandomValues is not.
function randomId(): string {
  const bytes = globalThis.crypto.getRandomValues(new Uint8Array(16))
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
