import { SourceMap, stripTypeScriptTypes } from 'node:module'
import { InvalidCode, placeIn } from './call-engine.ts'

/** Of a text of an author; both count from 1. */
export interface Place {
  readonly line: number
  readonly column: number
}

/** A text in JavaScript, and which place of what its author has written stands behind one of it. */
export interface PlainText {
  readonly text: string
  /** True where each character stands where it was written. */
  readonly isInPlace: boolean
  readonly originOf: (place: Place) => Place
}

export const asWritten = (text: string): PlainText => ({
  text,
  isInPlace: true,
  originOf: (place) => place,
})

const IMPORT = /^[ \t]*import\b(?![ \t]*[(.])[^;'"]*?(?:from[ \t\n]*)?(?:'[^'\n]*'|"[^"\n]*")[ \t]*;?/gm
const BEFORE = 'async()=>{'

interface Import {
  readonly at: number
  readonly text: string
}

/**
 * The same text without types, each character where it was; what is more than types (`enum`, parameters that are
 * properties, namespaces) is written out, and the places are known. The parser takes modules only, in which nothing
 * may `return`: a body is given to it as a function, without its imports.
 */
export function stripTypes(code: string): PlainText {
  try {
    return withoutTypes(code, code)
  } catch (error) {
    if (!isReturn(error)) throw invalid(error, code, 0)
  }
  const imports: Import[] = []
  const body = code.replace(IMPORT, (text: string, at: number) => {
    imports.push({ at, text })
    return blank(text)
  })
  try {
    return withImports(withoutTypes(body, `${BEFORE}${body}\n}`), imports, code)
  } catch (error) {
    throw invalid(error, code, BEFORE.length)
  }
}

/** `whole` is the text itself, or a function around it. */
function withoutTypes(code: string, whole: string): PlainText {
  const [before, after] = whole === code ? [0, 0] : [BEFORE.length, 2]
  try {
    return asWritten(stripTypeScriptTypes(whole).slice(before, whole.length - after))
  } catch (error) {
    if (!isMoreThanTypes(error)) throw error
  }
  return writtenOut(whole, before)
}

/** Moves what it writes, so the places come from a map. `before` is where the text begins in the function around it. */
function writtenOut(whole: string, before: number): PlainText {
  const mapped = stripTypeScriptTypes(whole, { mode: 'transform', sourceMap: true })
  const mark = mapped.lastIndexOf(MAP)
  const map = new SourceMap(
    JSON.parse(Buffer.from(mapped.slice(mark + MAP.length), 'base64').toString()) as never,
  )
  const written = mapped.slice(0, mark)
  const start = before === 0 ? 0 : written.indexOf('{') + 1
  const end = before === 0 ? written.length : written.lastIndexOf('}')
  const originOf = ({ line, column }: Place): Place => {
    const origin = map.findOrigin(line, column + (line === 1 ? start : 0))
    if (!('lineNumber' in origin)) return { line, column }
    const { lineNumber, columnNumber } = origin
    return { line: lineNumber, column: Math.max(1, columnNumber - (lineNumber === 1 ? before : 0)) }
  }
  return { text: written.slice(start, end), isInPlace: false, originOf }
}

const MAP = '//# sourceMappingURL=data:application/json;base64,'

/** Where a text is as it was written they go to where they stood, else each to a line before it. */
function withImports(plain: PlainText, imports: readonly Import[], code: string): PlainText {
  const { text, originOf } = plain
  const stripped = imports.map(({ at, text: written }) => ({
    at,
    written,
    text: stripTypeScriptTypes(written),
  }))
  if (plain.isInPlace) {
    let result = text
    for (const { at, text: one } of stripped)
      result = `${result.slice(0, at)}${one}${result.slice(at + one.length)}`
    return asWritten(result)
  }
  const lines = stripped.map(({ text: one }) => `${one.replace(/\n/g, ' ')}\n`)
  return {
    text: lines.join('') + text,
    isInPlace: false,
    originOf: ({ line, column }) => {
      const { at, written } = stripped[line - 1] ?? { at: 0, written: undefined }
      if (written === undefined) return originOf({ line: line - lines.length, column })
      return placeIn(code, at + Math.min(column, written.length) - 1)
    },
  }
}

/** The same lines, with nothing on them. */
const blank = (text: string): string => text.replace(/[^\n]/g, ' ')

const isReturn = (error: unknown): boolean =>
  error instanceof Error && error.message.includes('Return statement is not allowed here')

const isMoreThanTypes = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX'

/**
 * Node says the place only in the head of the stack: the line, some text, and a mark below the column; no mark where
 * the text ends too soon.
 */
const HEAD = /^[^\n]*:(\d+)\n[\s\S]*?\n( *)\^+\n/

function invalid(error: unknown, code: string, indent: number): InvalidCode {
  const { message, stack = '' } = error instanceof Error ? error : new Error(String(error))
  const [, line, spaces = ''] = HEAD.exec(stack) ?? []
  if (line === undefined || Number(line) > code.split('\n').length)
    return new InvalidCode({ message, ...placeIn(code, code.length) })
  const column = spaces.length + 1 - (line === '1' ? indent : 0)
  return new InvalidCode({ message, line: Number(line), column })
}
