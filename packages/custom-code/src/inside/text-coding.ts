import { bytesOf, textOfBytes } from './border.ts'

const ENCODINGS: readonly (readonly [names: RegExp, encoding: string])[] = [
  [/^utf-?8$/i, 'utf-8'],
  [/^utf-16(?:le)?$/i, 'utf-16le'],
  [/^(?:latin1|iso-8859-1|us-ascii|ascii)$/i, 'latin1'],
]

/** UTF-8, as the encoding standard has it. */
export class TextEncoder {
  readonly encoding = 'utf-8'

  encode(text = ''): Uint8Array {
    const bytes: number[] = []
    for (const character of String(text)) pushEncoded(bytes, character.codePointAt(0) ?? 0)
    return new Uint8Array(bytes)
  }

  encodeInto(text: string, target: Uint8Array): { read: number; written: number } {
    let read = 0
    let written = 0
    for (const character of text) {
      const bytes: number[] = []
      pushEncoded(bytes, character.codePointAt(0) ?? 0)
      if (written + bytes.length > target.length) break
      target.set(bytes, written)
      written += bytes.length
      read += character.length
    }
    return { read, written }
  }
}

function pushEncoded(bytes: number[], code: number): void {
  const point = code >= 0xd800 && code <= 0xdfff ? 0xfffd : code
  const tail = (shift: number) => 0x80 | ((point >> shift) & 0x3f)
  if (point < 0x80) bytes.push(point)
  else if (point < 0x800) bytes.push(0xc0 | (point >> 6), tail(0))
  else if (point < 0x10000) bytes.push(0xe0 | (point >> 12), tail(6), tail(0))
  else bytes.push(0xf0 | (point >> 18), tail(12), tail(6), tail(0))
}

/**
 * UTF-8, UTF-16 as far as bytes come in pairs, and bytes that are characters; what no text can be becomes U+FFFD, or is
 * refused where it is `fatal`.
 */
export class TextDecoder {
  readonly encoding: string
  readonly fatal: boolean
  readonly ignoreBOM: boolean

  constructor(label = 'utf-8', options: { fatal?: boolean; ignoreBOM?: boolean } = {}) {
    const known = ENCODINGS.find(([names]) => names.test(label))
    if (known === undefined)
      throw new RangeError(`The encoding "${label}" is not supported: choose utf-8, utf-16le or latin1.`)
    this.encoding = known[1]
    this.fatal = options.fatal === true
    this.ignoreBOM = options.ignoreBOM === true
  }

  decode(source?: ArrayBuffer | ArrayBufferView): string {
    const bytes = source === undefined ? new Uint8Array() : bytesOf(source)
    if (this.encoding === 'utf-16le') return pairsOf(bytes)
    if (this.encoding === 'latin1') return textOfBytes(bytes)
    const hasMark = !this.ignoreBOM && bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf
    let text = ''
    let points: number[] = []
    for (let at = hasMark ? 3 : 0; at < bytes.length; ) {
      const [point, length] = decoded(bytes, at)
      points.push(this.#accepted(point))
      at += length
      if (points.length < 4096) continue
      text += String.fromCodePoint(...points)
      points = []
    }
    return text + String.fromCodePoint(...points)
  }

  #accepted(point: number | undefined): number {
    if (point === undefined && this.fatal) throw new TypeError('The bytes are no valid UTF-8.')
    return point ?? 0xfffd
  }
}

function pairsOf(bytes: Uint8Array): string {
  let text = ''
  for (let at = 0; at + 1 < bytes.length; at += 2)
    text += String.fromCharCode((bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8))
  return text
}

/** How many bytes a character has that begins with this one, and the least point that takes so many. */
function shapeOf(first: number): [length: number, least: number] {
  if (first >= 0xc2 && first < 0xe0) return [2, 0x80]
  if (first >= 0xe0 && first < 0xf0) return [3, 0x800]
  if (first >= 0xf0 && first < 0xf5) return [4, 0x10000]
  return [0, 0]
}

/** The point at this place and how many bytes it takes; undefined for what is none. */
function decoded(bytes: Uint8Array, at: number): [point: number | undefined, length: number] {
  const first = bytes[at] ?? 0
  if (first < 0x80) return [first, 1]
  const [length, least] = shapeOf(first)
  let point = first & (0x7f >> length)
  for (let next = 1; next < length; next += 1) {
    const byte = bytes[at + next] ?? 0
    // The second byte already decides whether the whole would be too long, a half of a pair or out of range.
    const isTail = (byte & 0xc0) === 0x80
    const rest = 6 * (length - 1 - next)
    const reached = ((point << 6) | (byte & 0x3f)) << rest
    const isPossible =
      next > 1 || (reached + (1 << rest) > least && reached < 0x110000 && !isHalf(reached, rest))
    if (!isTail || !isPossible) return [undefined, next]
    point = (point << 6) | (byte & 0x3f)
  }
  return length === 0 ? [undefined, 1] : [point, length]
}

const isHalf = (reached: number, rest: number): boolean =>
  rest === 6 && reached >= 0xd800 && reached <= 0xdfff
