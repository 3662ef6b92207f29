import { isRecord } from './properties.ts'

/** JSON.parse without the keys that poison prototypes when a careless reader merges the result. */
export function parseJson(text: string): unknown {
  if (!/__proto__|constructor|\\u/.test(text)) return JSON.parse(text)
  return JSON.parse(text, (key, value: unknown) => (isPoison(key, value) ? undefined : value))
}

function isPoison(key: string, value: unknown): boolean {
  return (
    key === '__proto__' || (key === 'constructor' && isRecord(value) && Object.hasOwn(value, 'prototype'))
  )
}

/** The first object or list in a text that is valid JSON; a text that is JSON as a whole is read whole. */
export function findJson(text: string): unknown {
  const whole = tryParse(text)
  if (whole !== undefined) return whole.value
  // Broken text can make every opening bracket a scan to its end, so the scans share what a few passes cost.
  const scan: Scan = { text, left: text.length * 8 }
  for (
    let start = nextOpening(text, 0);
    start !== -1 && scan.left > 0;
    start = nextOpening(text, start + 1)
  ) {
    const end = findEnd(scan, start)
    const found = end === -1 ? undefined : tryParse(text.slice(start, end))
    if (found !== undefined) return found.value
  }
  return undefined
}

interface Scan {
  readonly text: string
  left: number
}

function tryParse(text: string): { value: unknown } | undefined {
  try {
    return { value: parseJson(text) }
  } catch {
    return undefined
  }
}

function nextOpening(text: string, from: number): number {
  const opening = /[[{]/g
  opening.lastIndex = from
  return opening.exec(text)?.index ?? -1
}

// The position behind the bracket that closes the one at start, brackets inside strings not counting.
function findEnd(scan: Scan, start: number): number {
  let depth = 0
  let at = start
  for (; at < scan.text.length; at += 1) {
    const character = scan.text[at] ?? ''
    if (character === '"') at = stringEnd(scan.text, at)
    depth += levels[character] ?? 0
    if (depth === 0) break
  }
  scan.left -= at - start + 1
  return depth === 0 ? at + 1 : -1
}

const levels: Readonly<Record<string, number>> = { '[': 1, '{': 1, ']': -1, '}': -1 }

function stringEnd(text: string, start: number): number {
  let at = start + 1
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1
  return at
}
