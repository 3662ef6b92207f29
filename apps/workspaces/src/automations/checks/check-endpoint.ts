import type { Path, Problem } from './problem.ts'

/** The pattern of a URL: parts between slashes, `:name` takes one and `*name` several. One without a match helps nobody. */
export function checkEndpoint(endpoint: unknown, path: Path): Problem[] {
  if (typeof endpoint !== 'string' || endpoint === '') return []
  const begin = endpoint.length - endpoint.replace(/^\/+/, '').length
  const inner = endpoint.slice(begin).replace(/\/+$/, '')
  if (inner === '')
    return [{ path, message: 'has no path: write one such as users/:id, or true for the slug' }]
  return checkParts(inner.split('/'), begin, path)
}

function checkParts(parts: readonly string[], begin: number, path: Path): Problem[] {
  const names = new Set<string>()
  let offset = begin
  for (const part of parts) {
    if (part === '')
      return [{ path, message: 'has nothing between two slashes, which no URL matches', textOffset: offset }]
    const name = /^[:*](.+)$/s.exec(part)?.[1]
    if (name !== undefined && names.has(name)) {
      const message = `names the parameter "${name.slice(0, 60)}" twice: each one needs a name of its own`
      return [{ path, message, textOffset: offset }]
    }
    if (name !== undefined) names.add(name)
    offset += part.length + 1
  }
  return []
}
