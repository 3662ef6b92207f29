import { type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser'
import { inspectJson } from './json-limits.ts'
import { TextLines, UnreadableText } from './unreadable-text.ts'

/** What the parser names, in words. */
const phrases: Readonly<Record<string, string>> = {
  InvalidSymbol: 'there is something that is not JSON, such as a word or a key without double quotes',
  InvalidNumberFormat: 'a number is not written as one',
  PropertyNameExpected: 'a key in double quotes is missing',
  ValueExpected: 'a value is missing',
  ColonExpected: 'a colon is missing',
  CommaExpected: 'a comma is missing',
  CloseBraceExpected: 'a closing brace is missing',
  CloseBracketExpected: 'a closing bracket is missing',
  EndOfFileExpected: 'there is more after its end',
  InvalidCommentToken: 'comments are not allowed',
  UnexpectedEndOfComment: 'comments are not allowed',
  UnexpectedEndOfString: 'a text never ends',
  UnexpectedEndOfNumber: 'a number is not written as one',
  InvalidUnicode: 'an escape such as \\u0041 is not written as one',
  InvalidEscapeCharacter: 'a backslash begins an escape there is not',
  InvalidCharacter: 'a text holds a control character: write a line break as \\n',
}

/** Strict JSON: no key twice in one object, at most 64 levels and 10,000 keys. Throws UnreadableText. */
export function readJsonValue(text: string): unknown {
  const lines = new TextLines(text)
  const unreadable = (mistakes: { message: string; offset: number }[]) =>
    new UnreadableText(
      mistakes.map(({ message, offset }) => ({ ...lines.placeOf(offset), path: '', message })),
    )
  const repeated = inspectJson(text, (message, offset) => {
    throw unreadable([{ message, offset }])
  })
  const value = parse(text)
  if (value === undefined) throw unreadable([firstMistake(text)])
  if (repeated.length === 0) return value
  throw unreadable(
    repeated.map(({ name, offset }) => ({
      message: sentence(`the key "${name.slice(0, 60)}" is there twice`),
      offset,
    })),
  )
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Only the first mistake: those after it mostly follow from it. */
function firstMistake(text: string): { message: string; offset: number } {
  const first = firstError(text)
  if (text.trim() === '' || first === undefined)
    return { message: sentence(text.trim() === '' ? 'it ends too early' : 'it has a mistake'), offset: 0 }
  return {
    message: sentence(phrases[printParseErrorCode(first.error)] ?? 'it has a mistake'),
    offset: first.offset,
  }
}

function firstError(text: string): ParseError | undefined {
  const errors: ParseError[] = []
  try {
    parseTree(text, errors, { disallowComments: true, allowTrailingComma: false, allowEmptyContent: false })
  } catch (error) {
    // Brackets that match nothing may still lead the parser too deep; what it found before is enough.
    if (!(error instanceof RangeError)) throw error
  }
  return errors[0]
}

const sentence = (what: string): string => `The text is not valid JSON: ${what}.`
