import type { UrlMatch } from '../automations/model.ts'

/** What an automation says about its address: its slug, or a path with `:one` and `*many` segments. */
export interface UrlTrigger {
  slug: string
  path: string
}

type Segment = { readonly literal: string } | { readonly name: string; readonly many: boolean }

/** Finds the automation behind a path. An exact path beats every pattern; of the patterns the first one declared wins. */
export function compileUrls(triggers: readonly UrlTrigger[]): (path: string) => UrlMatch | undefined {
  const exact = new Map<string, UrlMatch>()
  const patterns: Pattern[] = []
  for (const { slug, path } of triggers) {
    const normal = withoutEdgeSlashes(path)
    const segments = normal.split('/').map(segmentOf)
    if (segments.some((segment) => 'name' in segment)) patterns.push({ slug, segments })
    else if (!exact.has(normal)) exact.set(normal, { slug, pathParams: {} })
  }
  return (path) => {
    const normal = withoutEdgeSlashes(path)
    return exact.get(normal) ?? firstMatch(patterns, normal)
  }
}

interface Pattern {
  slug: string
  segments: Segment[]
}

function firstMatch(patterns: readonly Pattern[], path: string): UrlMatch | undefined {
  if (patterns.length === 0) return undefined
  const parts = path.split('/')
  for (const { slug, segments } of patterns) {
    const pathParams = matchSegments(segments, parts)
    if (pathParams !== undefined) return { slug, pathParams }
  }
  return undefined
}

export const withoutEdgeSlashes = (path: string): string => path.replace(/^\/+/, '').replace(/\/+$/, '')

/** A colon or star is a parameter only at the start of a segment: `a:b` is what it says. */
function segmentOf(text: string): Segment {
  const name = text.slice(1)
  if (name === '' || !/^[:*]/.test(text)) return { literal: text }
  return { name, many: text.startsWith('*') }
}

/** Matches one pattern with one path. Dead ends are remembered: the work is at most segments × parts², however the stars stand. */
class PatternMatch {
  readonly params: Record<string, string> = {}
  readonly #segments: readonly Segment[]
  readonly #parts: readonly string[]
  readonly #dead = new Set<number>()

  constructor(segments: readonly Segment[], parts: readonly string[]) {
    this.#segments = segments
    this.#parts = parts
  }

  from(at: number, part: number): boolean {
    const segment = this.#segments[at]
    if (segment === undefined) return part === this.#parts.length
    const state = at * (this.#parts.length + 1) + part
    if (part >= this.#parts.length || this.#dead.has(state)) return false
    const matches =
      'literal' in segment ? this.#literal(segment.literal, at, part) : this.#named(segment, at, part)
    if (!matches) this.#dead.add(state)
    return matches
  }

  #literal(literal: string, at: number, part: number): boolean {
    return literal === this.#parts[part] && this.from(at + 1, part + 1)
  }

  #named({ name, many }: { name: string; many: boolean }, at: number, part: number): boolean {
    if (this.#parts[part] === '') return false
    const last = many ? this.#parts.length : part + 1
    for (let end = part + 1; end <= last; end += 1) {
      if (!this.from(at + 1, end)) continue
      this.params[name] = this.#parts.slice(part, end).join('/')
      return true
    }
    return false
  }
}

function matchSegments(
  segments: readonly Segment[],
  parts: readonly string[],
): Record<string, string> | undefined {
  const match = new PatternMatch(segments, parts)
  return match.from(0, 0) ? match.params : undefined
}
