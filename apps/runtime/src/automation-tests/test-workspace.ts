import type { CompiledAutomation, CompiledWorkspace, Inputs, UrlMatch } from '../automations/model.ts'
import { compileWorkspace } from '../definitions/compile-workspace.ts'
import type { IndexedAutomation } from '../definitions/definition-store.ts'
import type { AnswersByName } from './stub-answers.ts'

/** An automation that came along with its tests. */
export interface GivenAutomation extends IndexedAutomation {
  readonly compiled: CompiledAutomation
  /** Where its instructions stand in its text. */
  readonly places: Readonly<Record<string, readonly [line: number, column: number]>>
}

/** A workspace with automations in place of those that are saved. */
export function withAutomations(
  base: CompiledWorkspace,
  given: readonly GivenAutomation[],
): CompiledWorkspace {
  if (given.length === 0) return base
  const bySlug = new Map(given.map((one) => [one.slug, one]))
  const live = {
    workspaceId: base.id,
    workspaceSlug: base.slug,
    workspaceName: base.name,
    config: { value: base.config },
    revision: base.revision,
    length: 0,
    automations: given,
  }
  const overlay = compileWorkspace(
    live,
    ({ slug }) => bySlug.get(slug)?.compiled,
    async ({ slug }, instruction) => {
      const place = bySlug.get(slug)?.places[instruction]
      return place === undefined ? undefined : { line: place[0], column: place[1] }
    },
  )
  const isOther = (slug: string) => !bySlug.has(slug)
  return {
    ...base,
    endpoints: new Map([...[...base.endpoints].filter(([slug]) => isOther(slug)), ...overlay.endpoints]),
    find: (slug) => (isOther(slug) ? base.find(slug) : overlay.find(slug)),
    placeOf: (slug, instruction) => (isOther(slug) ? base : overlay).placeOf(slug, instruction),
    matchUrl(path) {
      const saved = base.matchUrl(path)
      return bestMatch(overlay.matchUrl(path), saved !== undefined && isOther(saved.slug) ? saved : undefined)
    },
    listeners: (type) => [...base.listeners(type).filter(isOther), ...overlay.listeners(type)],
    priorityOf: (slug) => (isOther(slug) ? base : overlay).priorityOf(slug),
  }
}

/** An exact path beats a pattern. */
function bestMatch(given: UrlMatch | undefined, saved: UrlMatch | undefined): UrlMatch | undefined {
  if (given === undefined || saved === undefined) return given ?? saved
  return Object.keys(saved.pathParams).length === 0 ? saved : given
}

/** A workspace where the automations that a test answers for are not run; with the configuration of the test. */
export function withStubs(
  base: CompiledWorkspace,
  answers: AnswersByName,
  config: Readonly<Record<string, unknown>> = {},
): CompiledWorkspace {
  return {
    ...base,
    config: { ...base.config, ...config },
    find: (slug) => (answers.has(slug) ? stubOf(slug, answers) : base.find(slug)),
  }
}

const anything: Inputs = {
  validate: () => undefined,
  secretsIn: () => [],
  redactedTexts: () => [],
  redacted: (payload) => payload,
}

const stubOf = (slug: string, answers: AnswersByName): CompiledAutomation => ({
  slug,
  disabled: false,
  idempotent: false,
  durable: false,
  action: undefined,
  isPrivate: false,
  readsRawBody: false,
  readsHeaders: false,
  shapesAnswer: false,
  readsRole: false,
  readsEmail: false,
  readsSecrets: false,
  storedContexts: [],
  waits: false,
  stepPaths: [],
  steps: () => undefined,
  output: () => answers.next(slug),
  inputs: anything,
  problems: [],
})
