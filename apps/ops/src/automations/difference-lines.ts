import type { TestDifference } from '@platform/contracts'
import { diffLines } from 'diff'
import { type Paint, plain } from '../terminal.ts'

/** A value up to this long is in the sentence already. */
const SHORT = 80
/** Lines of one difference, and of what is the same around what is not. */
const MOST_LINES = 60
const AROUND = 2

/** What is not as expected: a sentence, and for larger values what differs in them. */
export function differenceLines({ message, expected, got }: TestDifference, paint: Paint): string[] {
  const sentence = plain(message)
  const [before, after] = [pretty(expected), pretty(got)]
  if (before === undefined || after === undefined || before.length + after.length <= SHORT) return [sentence]
  const lines = diffLines(`${before}\n`, `${after}\n`).flatMap(({ value, added, removed }) => {
    const parts = value.replace(/\n$/, '').split('\n')
    if (added === true) return parts.map((line) => paint('red', `+ ${plain(line)}`))
    if (removed === true) return parts.map((line) => paint('green', `- ${plain(line)}`))
    const some =
      parts.length > 2 * AROUND + 1 ? [...parts.slice(0, AROUND), '…', ...parts.slice(-AROUND)] : parts
    return some.map((line) => paint('grey', `  ${plain(line)}`))
  })
  const shown = lines.length > MOST_LINES ? [...lines.slice(0, MOST_LINES), '…'] : lines
  return [sentence, ...shown.map((line) => `  ${line}`)]
}

const pretty = (value: unknown): string | undefined =>
  value === undefined ? undefined : JSON.stringify(value, undefined, 2)
