import { type Env, familiesOf, membersOf } from '@platform/config'
import type { Setting } from '@platform/contracts'
import { scrub } from '@platform/logging'
import { z } from 'zod'

interface Variable {
  preset?: unknown
  isRequired: boolean
}

/** Names whose values are secrets, whatever their schema says: rather one too many. */
const secretName = /(_KEYS?|SECRET|SECRETS|PASSWORD|_PASS|_TOKEN|_EXTERNAL_CLIENTS)$|^WORKSPACE_SECRET_/

/**
 * Every variable of all schemas, by name, with the value that counts: the first source that has it, else the default.
 */
export function settingsOf(
  schemas: Record<string, z.ZodType | readonly z.ZodType[]>,
  sources: Record<string, Env>,
): Setting[] {
  const names = new Map<string, Map<string, Variable>>()
  for (const [reader, schema] of Object.entries(schemas)) {
    for (const [name, variable] of [schema].flat().flatMap((one) => variablesOf(one, sources))) {
      const readers = names.get(name) ?? new Map<string, Variable>()
      names.set(name, readers.set(reader, variable))
    }
  }
  return [...names]
    .sort(([a], [b]) => a.localeCompare(b))
    .map(([name, readers]) => settingOf(name, readers, sources))
}

/** Of a family each variable that somebody has given. */
function variablesOf(schema: z.ZodType, sources: Record<string, Env>): [string, Variable][] {
  const { properties = {}, required = [] } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })
  const families = familiesOf(schema)
  return Object.entries(properties).flatMap(([name, property]) => {
    const preset = (property as { default?: unknown }).default
    const beginning = families.get(name)
    return (beginning === undefined ? [name] : givenOf(beginning, sources)).map((one): [string, Variable] => [
      one,
      { preset, isRequired: required.includes(name) },
    ])
  })
}

const givenOf = (beginning: string, sources: Record<string, Env>): string[] =>
  Object.values(sources).flatMap((env) => membersOf(beginning, env).map(([name]) => name))

function settingOf(name: string, readers: Map<string, Variable>, sources: Record<string, Env>): Setting {
  for (const [origin, env] of Object.entries(sources)) {
    const value = env[name]
    if (value !== undefined && value !== '') return { name, origin, value: shown(name, value) }
  }
  const presets = [...readers].filter(([, { preset }]) => preset !== undefined)
  if (presets.length > 0) return { name, origin: 'default', value: shown(name, presetText(presets)) }
  const isRequired = [...readers.values()].some((variable) => variable.isRequired)
  return { name, origin: isRequired ? 'required' : 'unset', value: '' }
}

/** One value where all readers have the same default, else each with its own. */
function presetText(presets: [string, Variable][]): string {
  const texts = presets.map(([reader, { preset }]) => [reader, textOf(preset)] as const)
  const [first] = texts
  return texts.every(([, text]) => text === first?.[1])
    ? (first?.[1] ?? '')
    : texts.map(([reader, text]) => `${text} (${reader})`).join(', ')
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

const shown = (name: string, value: string): string =>
  secretName.test(name) ? `[${value.length} characters]` : scrub(value)
