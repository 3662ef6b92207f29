import { grow, type Run, spend } from '../run.ts'
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
  return Object.hasOwn(container, toText(item, run))
}

// A number finds itself in a list of texts, because numbers often arrive as text from queries and forms.
function isSameItem(item: unknown, element: unknown, run: Run): boolean {
  spend(run, 1)
  if (equalStrictly(item, element, run)) return true
  const types = `${typeof item} ${typeof element}`
  return (types === 'string number' || types === 'number string') && String(item) === String(element)
}

function isListed(item: string, list: string, run: Run): boolean {
  grow(run, list.length)
  return list === item || list.split(',').some((word) => word.trim() === item.trim())
}

/** `x matches y`: text that contains another or fits a pattern; a list on either side needs one that does. */
export function matches(text: unknown, wanted: unknown, run: Run): boolean {
  if (text === undefined || text === null || wanted === undefined || wanted === null) return false
  if (Array.isArray(text)) return text.some((item) => matches(item, wanted, run))
  if (Array.isArray(wanted)) return wanted.some((item) => matches(text, item, run))
  return matchesOne(toText(text, run), wanted, run)
}

function matchesOne(text: string, wanted: unknown, run: Run): boolean {
  spend(run, 1)
  if (wanted instanceof Pattern) return testPattern(wanted, text, run)
  if (typeof wanted === 'object' && !isDateValue(wanted)) return false
  grow(run, text.length)
  return text.includes(toText(wanted, run))
}

/** Searches for a pattern after paying for the worst case: 20 instructions of its program are one step. */
export function testPattern(pattern: Pattern, text: string, run: Run): boolean {
  spend(run, Math.ceil((text.length * pattern.cost) / 20))
  return pattern.test(text)
}
