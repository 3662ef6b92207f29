import type { Endpoint } from './endpoint.ts'

/** Finds the operation that a method and a canonical path ask for; HEAD asks for what GET does. */
export type FindContract = (method: string, path: string) => Endpoint | undefined

/** Compiles the patterns of contracts; of several that match, the first in the list is found. */
export function contractFinder(contracts: readonly Endpoint[]): FindContract {
  const byMethod = new Map<string, { contract: Endpoint; pattern: RegExp }[]>()
  for (const contract of contracts) {
    const known = byMethod.get(contract.method) ?? []
    byMethod.set(contract.method, [...known, { contract, pattern: pathPattern(contract.path) }])
  }
  const findIn = (method: string, path: string) =>
    byMethod.get(method)?.find(({ pattern }) => pattern.test(path))?.contract
  return (given, path) => {
    const method = given === 'HEAD' ? 'get' : given.toLowerCase()
    return findIn(method, path) ?? findIn('all', path)
  }
}

/**
 * What the paths of contracts and of the route table mean: `:name` is one segment, `*name` one or more, and at the end
 * `{/*name}` none or more; a slash at the end makes no difference.
 */
export function pathPattern(path: string): RegExp {
  const source = path
    .replaceAll('.', '\\.')
    .replace(/\{\/\*\w+\}$/, '(?:/.*)?')
    .replace(/:\w+/g, '[^/]+')
    .replace(/\*\w+/g, '.+')
  return new RegExp(`^${source}/?$`)
}
