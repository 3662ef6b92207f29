import { rolloverName } from './lifecycle.ts'
import { streamTemplate, type TemplateOptions } from './template.ts'

/** A composable template as a store shows it. */
export interface FoundTemplate {
  index_patterns?: string[]
  priority?: number
  version?: number
  composed_of?: string[]
  data_stream?: unknown
  template?: { mappings?: unknown; settings?: unknown; aliases?: unknown }
}

/** True when a version of the platform that comes after this one has written it. */
export const isNewer = (found: FoundTemplate, options: TemplateOptions): boolean =>
  (found.version ?? 0) > streamTemplate(options).version

/**
 * True when a template does what ours would, also where the store adds defaults or writes values in another way.
 * Whether it names a policy is decided by the process that installed it: the others have not asked the store whether
 * it has policies.
 */
export function isSame(found: FoundTemplate, options: TemplateOptions): boolean {
  const lifecycle = options.lifecycle ?? lifecycleOf(found, options)
  const wanted = streamTemplate({ ...options, lifecycle })
  const { mappings, settings, aliases } = found.template ?? {}
  return (
    found.data_stream !== undefined &&
    (found.composed_of ?? []).length === 0 &&
    isEqual([found.version, found.priority], [wanted.version, wanted.priority]) &&
    isEqual(found.index_patterns, wanted.index_patterns) &&
    isEqual(mappings, wanted.template.mappings) &&
    isEqual(settings, wanted.template.settings) &&
    leavesOf(aliases).size === 0
  )
}

/** The policy of ours that a template names; undefined when it names none, or another one. */
export function lifecycleOf({ template }: FoundTemplate, { prefix }: TemplateOptions): string | undefined {
  const name = leavesOf(template?.settings).get('lifecycle.name')
  return name === rolloverName(prefix) ? name : undefined
}

function isEqual(found: unknown, wanted: unknown): boolean {
  const foundLeaves = leavesOf(found)
  const wantedLeaves = leavesOf(wanted)
  return (
    foundLeaves.size === wantedLeaves.size &&
    [...wantedLeaves].every(([path, text]) => foundLeaves.get(path) === text)
  )
}

/**
 * Every value by its path, as text: stores show `1` as `"1"`, and `refresh_interval` as `index: { refresh_interval }`.
 */
function leavesOf(value: unknown, path = '', leaves = new Map<string, string>()): Map<string, string> {
  if (typeof value === 'object' && value !== null) {
    for (const [key, part] of Object.entries(value))
      leavesOf(part, path === '' ? key : `${path}.${key}`, leaves)
  } else if (value !== undefined) leaves.set(path.replace(/^index\./, ''), String(value))
  return leaves
}
