import { type FindText, MAX_PLAIN_SEARCH, textFinder } from '@platform/kernel'
import { grow, type Run, scan, spend } from '../run.ts'
import { equalStrictly } from './comparison.ts'
import { isDateValue } from './date-value.ts'
import { Pattern } from './pattern.ts'
import { toText } from './text.ts'

/** `x in y`: an element of a list, a key of an object, or one of the words of "a,b,c". */
export function isMember(item: unknown, container: unknown, run: Run): boolean {
  if (Array.isArray(container)) return container.some((element) => isSameItem(item, element, run))
  if (item === undefined || item === null) return false
  if (typeof container === 'string') return isListed(toText(item, run), container, run)
  if (typeof container !== 'object' || container === null) return false
  const key = toText(item, run)
  scan(run, key.length)
  return Object.hasOwn(container, key)
}

// A number finds itself in a list of texts, because numbers often arrive as text from queries and forms.
function isSameItem(item: unknown, element: unknown, run: Run): boolean {
  spend(run, 1)
  if (equalStrictly(item, element, run)) return true
  const types = `${typeof item} ${typeof element}`
  return (types === 'string number' || types === 'number string') && String(item) === String(element)
}

function isListed(item: string, list: string, run: Run): boolean {
  scan(run, list.length + item.length)
  if (list === item) return true
  const wanted = item.trim()
  for (let start = 0; ; ) {
    spend(run, 2)
    const comma = list.indexOf(',', start)
    const word = comma === -1 ? list.slice(start) : list.slice(start, comma)
    if (word.trim() === wanted) return true
    if (comma === -1) return false
    start = comma + 1
  }
}

/** `x matches y`: text that contains another or fits a pattern; a list on either side needs one that does. */
export function matches(text: unknown, wanted: unknown, run: Run): boolean {
  if (text === undefined || text === null || wanted === undefined || wanted === null) return false
  spend(run, 1)
  if (Array.isArray(text)) return text.some((item) => matches(item, wanted, run))
  if (Array.isArray(wanted)) return wanted.some((item) => matches(text, item, run))
  return matchesOne(toText(text, run), wanted, run)
}

function matchesOne(text: string, wanted: unknown, run: Run): boolean {
  if (wanted instanceof Pattern) return testPattern(wanted, text, run)
  if (typeof wanted === 'object' && !isDateValue(wanted)) return false
  const part = toText(wanted, run)
  scan(run, text.length)
  return finderOf(part, text.length, run)(text, 0) !== -1
}

/** A search for `wanted` in texts of this length, paid for; the caller has paid for reading the text. */
export function finderOf(wanted: string, textLength: number, run: Run): FindText {
  if (wanted.length > textLength) return () => -1
  if (wanted.length > MAX_PLAIN_SEARCH) {
    grow(run, wanted.length * 2)
    spend(run, wanted.length >>> 3)
  }
  return textFinder(wanted)
}

/** Searches for a pattern after paying for the worst case: 20 instructions of its program are one step. */
export function testPattern(pattern: Pattern, text: string, run: Run): boolean {
  spend(run, Math.ceil((text.length * pattern.cost) / 20))
  return pattern.test(text)
}
