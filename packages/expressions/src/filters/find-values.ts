import { type Run, scan, spend } from '../run.ts'
import { readProperty } from '../values/properties.ts'

/** The values at a dotted path; a list on the way is entered by index or, without one, through all its elements. */
export function findValues(value: unknown, path: string, run: Run): readonly unknown[] {
  scan(run, path.length)
  const direct = readProperty(value, path)
  if (direct !== undefined) return [direct]
  const keys = path.replace(/\[["']?([^[\]"']*)["']?\]/g, '.$1').split('.')
  spend(run, keys.length)
  return keys.reduce<readonly unknown[]>(
    (found, key) => found.flatMap((item) => step(item, key, run)),
    [value],
  )
}

function step(value: unknown, key: string, run: Run): readonly unknown[] {
  spend(run, 1)
  const own = typeof value === 'object' ? readProperty(value, key) : undefined
  if (own !== undefined) return [own]
  if (!Array.isArray(value)) return []
  spend(run, value.length)
  return value.map((element) => readProperty(element, key)).filter((item) => item !== undefined)
}
