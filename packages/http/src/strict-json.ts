import { limits } from '@platform/contracts'
import { Failure } from '@platform/kernel'
import { visit } from 'jsonc-parser'

const forbiddenKeys = new Set(['__proto__', 'constructor', 'prototype'])
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false })

/**
 * JSON as the platform accepts it (decisions A9): UTF-8, no duplicate or prototype keys, no lone surrogates, no NUL, at most 64
 * levels and 10,000 keys. Throws RequestValidationError with a sentence.
 */
export function parseStrictJson(bytes: Uint8Array): unknown {
  const text = decodeUtf8(bytes)
  const value = parse(text)
  if (typeof value === 'object' && value !== null) inspectKeys(text)
  if (text.includes('\\u')) inspectText(value)
  return value
}

/** Text of a body; invalid UTF-8 and NUL bytes are refused. */
export function decodeUtf8(bytes: Uint8Array): string {
  let text: string
  try {
    text = decoder.decode(bytes)
  } catch {
    throw invalid('The body is not valid UTF-8.')
  }
  if (text.includes('\u0000')) throw invalid('The body holds a NUL character, which no text here may have.')
  return text
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw invalid(
      `The body is not valid JSON: ${error instanceof Error ? error.message.replace(/\.$/, '') : 'syntax error'}.`,
    )
  }
}

/** One pass over the text: JSON.parse silently keeps the last of two equal keys, so the value can't tell. */
function inspectKeys(text: string): void {
  const open: Set<string>[] = []
  let depth = 0
  let keys = 0
  visit(text, {
    onObjectBegin: () => {
      open.push(new Set())
      depth = deeper(depth)
    },
    onObjectEnd: () => {
      open.pop()
      depth -= 1
    },
    onArrayBegin: () => {
      depth = deeper(depth)
    },
    onArrayEnd: () => {
      depth -= 1
    },
    onObjectProperty: (name) => {
      keys += 1
      inspectKey(name, open.at(-1), keys)
    },
  })
}

function deeper(depth: number): number {
  if (depth >= limits.jsonDepth) throw invalid(`The body is nested deeper than ${limits.jsonDepth} levels.`)
  return depth + 1
}

function inspectKey(name: string, siblings: Set<string> | undefined, count: number): void {
  if (forbiddenKeys.has(name)) throw invalid(`The body has a key "${name}", which is not allowed.`)
  if (siblings?.has(name)) throw invalid(`The body has the key "${name}" twice in one object.`)
  if (count > limits.jsonKeys) throw invalid(`The body has more than ${limits.jsonKeys} keys.`)
  siblings?.add(name)
}

/** Escapes can smuggle in what the raw bytes can't: NUL and lone surrogates. */
function inspectText(value: unknown): void {
  if (typeof value === 'string') {
    if (value.includes('\u0000'))
      throw invalid('A text of the body holds a NUL character, which PostgreSQL can’t keep.')
    if (!value.isWellFormed()) throw invalid('A text of the body holds half of a surrogate pair.')
    return
  }
  if (typeof value !== 'object' || value === null) return
  for (const [name, item] of Object.entries(value)) {
    inspectText(name)
    inspectText(item)
  }
}

const invalid = (message: string) => new Failure('RequestValidationError', message)
