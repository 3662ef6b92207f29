import { stripTypeScriptTypes } from 'node:module'
import { InvalidCode, placeIn } from './call-engine.ts'

const IMPORT = /^[ \t]*import\b(?![ \t]*[(.])[^;'"]*?(?:from[ \t\n]*)?(?:'[^'\n]*'|"[^"\n]*")[ \t]*;?/gm
const BEFORE = 'async()=>{'

/**
 * The same text without types, each character where it was. The parser takes modules only, in which nothing may
 * `return`: a body is given to it as a function, without its imports.
 */
export function stripTypes(code: string): string {
  try {
    return stripTypeScriptTypes(code)
  } catch (error) {
    if (!isReturn(error)) throw invalid(error, code, 0)
  }
  const imports: { at: number; text: string }[] = []
  const body = code.replace(IMPORT, (text: string, at: number) => {
    imports.push({ at, text })
    return blank(text)
  })
  try {
    let stripped = stripTypeScriptTypes(`${BEFORE}${body}\n}`).slice(BEFORE.length, -2)
    for (const { at, text } of imports)
      stripped = `${stripped.slice(0, at)}${stripTypeScriptTypes(text)}${stripped.slice(at + text.length)}`
    return stripped
  } catch (error) {
    throw invalid(error, code, BEFORE.length)
  }
}

/** The same lines, with nothing on them. */
const blank = (text: string): string => text.replace(/[^\n]/g, ' ')

const isReturn = (error: unknown): boolean =>
  error instanceof Error && error.message.includes('Return statement is not allowed here')

/** Node says the place only in the head of the stack: the line, some text, and a mark below the column. */
const HEAD = /^[^\n]*:(\d+)\n[\s\S]*?\n( *)\^+\n/

function invalid(error: unknown, code: string, indent: number): InvalidCode {
  const { message, stack = '' } = error instanceof Error ? error : new Error(String(error))
  const [, line = '1', spaces = ''] = HEAD.exec(stack) ?? []
  const column = spaces.length + 1 - (line === '1' ? indent : 0)
  const lines = code.split('\n').length
  if (Number(line) > lines) return new InvalidCode({ message, ...placeIn(code, code.length) })
  return new InvalidCode({ message: message.replace(' in strip-only mode', ''), line: Number(line), column })
}
