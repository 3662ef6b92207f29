import { type ReadMetric, type Sample, showMetric } from './registry.ts'

/** What a number is called and means; `unit` and `_total` belong into the name. */
export interface ReadingsDefinition {
  name: `platform_${string}`
  help: string
  type: 'counter' | 'gauge'
}

/** One number and the labels that separate it from others of the same name. Labels have few values by construction. */
export type Reading = Pick<Sample, 'labels' | 'value'>

type Read = () => Iterable<Reading> | Promise<Iterable<Reading>>

/** Longest a scrape waits for one source, so that a store that is down never hides the other numbers. */
const SOURCE_MS = 1000
/** Numbers of one source and name; more would be a mistake that costs the operator's storage. */
const SOURCE_READINGS = 500

class Readings implements ReadMetric {
  readonly name: string
  readonly help: string
  readonly type: 'counter' | 'gauge'
  readonly sources = new Set<Read>()

  constructor({ name, help, type }: ReadingsDefinition) {
    this.name = name
    this.help = help
    this.type = type
  }

  /** Sources of one process that show the same thing, for example two handles of one database, are added up. */
  async read(): Promise<Sample[]> {
    const lists = await Promise.all([...this.sources].map(readInTime))
    const sums = new Map<string, Sample>()
    for (const { labels, value } of lists.flat()) {
      const key = JSON.stringify(labels)
      sums.set(key, { labels, value: value + (sums.get(key)?.value ?? 0) })
    }
    return [...sums.values()]
  }
}

const known = new Map<string, Readings>()

/**
 * Shows numbers that are read when somebody scrapes, and only then, until disposed. Counting them is an increment of
 * a plain field.
 */
export function exposeReadings(definition: ReadingsDefinition, read: Read): Disposable {
  let readings = known.get(definition.name)
  if (readings === undefined) {
    readings = new Readings(definition)
    known.set(definition.name, readings)
    showMetric(readings)
  }
  const { sources } = readings
  // A source of its own, also where the same function is given twice.
  const source: Read = () => read()
  sources.add(source)
  return { [Symbol.dispose]: () => void sources.delete(source) }
}

async function readInTime(read: Read): Promise<Reading[]> {
  const { promise: late, resolve } = Promise.withResolvers<Reading[]>()
  const timer = setTimeout(resolve, SOURCE_MS, [])
  try {
    return await Promise.race([late, (async () => [...(await read())].slice(0, SOURCE_READINGS))()])
  } catch {
    // Not known just now: a number that is missing says so better than one that is made up.
    return []
  } finally {
    clearTimeout(timer)
  }
}
