import { limits, urlPartOf, withoutEdgeSlashes } from '@platform/contracts'
import { isRecord } from '@platform/kernel'
import type { Path, Problem } from '@platform/source-texts'

/**
 * The pattern of a URL. A pattern that no URL matches is refused, and so are two `*name`: they can share a path in too
 * many ways to look through.
 */
export function checkEndpoint(endpoint: unknown, path: Path): Problem[] {
  if (isRecord(endpoint)) return checkEndpoint(endpoint.path, [...path, 'path'])
  // A longer one is refused for its length.
  if (typeof endpoint !== 'string' || endpoint === '' || endpoint.length > limits.endpointLength) return []
  const inner = withoutEdgeSlashes(endpoint)
  if (inner === '')
    return [{ path, message: 'has no path: write one such as users/:id, or true for the slug' }]
  return checkParts(inner.split('/'), endpoint.search(/[^/]/), path)
}

function checkParts(parts: readonly string[], begin: number, path: Path): Problem[] {
  const before = { names: new Set<string>(), stars: 0 }
  let offset = begin
  for (const part of parts) {
    const message = checkPart(part, before)
    if (message !== undefined) return [{ path, message, textOffset: offset }]
    offset += part.length + 1
  }
  return []
}

function checkPart(part: string, before: { names: Set<string>; stars: number }): string | undefined {
  if (part === '') return 'has nothing between two slashes, which no URL matches'
  const parameter = urlPartOf(part)
  if ('literal' in parameter) return undefined
  const { name, many } = parameter
  if (many) before.stars += 1
  if (before.stars > 1) return 'has more than one *name: write one, and :name for each single part'
  if (before.names.has(name))
    return `names the parameter "${name.slice(0, 60)}" twice: each one needs a name of its own`
  before.names.add(name)
  return undefined
}
