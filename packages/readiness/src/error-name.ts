/**
 * The names `errors[].error` may have (docs/operations.md): programs and alerts compare them, so there are no others.
 */
export const moduleErrorNames = [
  'DatabaseError',
  'CacheError',
  'BrokerError',
  'SearchError',
  'FilesError',
  'ServiceUnavailable',
  'ProbeTimeout',
  'ProbeError',
] as const

type ModuleErrorName = (typeof moduleErrorNames)[number]

const known: ReadonlySet<string> = new Set(moduleErrorNames)

/** Whatever a probe threw, by one of the names above; a mistake of our own is a `ProbeError`. */
export function moduleErrorName(error: unknown): ModuleErrorName {
  if (!(error instanceof Error)) return 'ProbeError'
  if (isKnown(error.name)) return error.name
  return error.name === 'UnreachableError' ? 'ServiceUnavailable' : 'ProbeError'
}

const isKnown = (name: string): name is ModuleErrorName => known.has(name)
