import { readFileSync } from 'node:fs'
import { ConfigError, type Env, readConfig, secretOf } from '@platform/config'
import { AuthProviderInput } from '@platform/contracts'
import { parse } from 'yaml'
import { z } from 'zod'
import { type AuthProvider, addressProblem, mailDomainOf } from './auth-provider.ts'

const MAX_CHARACTERS = 1_000_000
const document = z.strictObject({ providers: z.record(z.string(), z.unknown()).or(z.array(z.unknown())) })

/**
 * The providers of the platform: `providers` by slug, or as a list. `${NAME}` in a value is that variable of the
 * environment, or the content of the file that `NAME_FILE` names. Throws ConfigError with a sentence for each problem,
 * naming the file and the place in it.
 */
export function readProviderFile(
  path: string,
  { env, allowHttp }: { env: Env; allowHttp: boolean },
): AuthProvider[] {
  const problems: string[] = []
  const tell = (place: string, problem: string) => {
    problems.push(`AUTH_PROVIDERS_CONFIG ${path}: ${place} ${problem.replace(/\.$/, '')}.`)
  }
  const providers = entriesOf(contentOf(path), tell).flatMap(([place, entry]) => {
    const given = interpolated(entry, (name) => {
      const value = secretOf(env, name)
      if (value === undefined) tell(place, `names \${${name}}, which is not set`)
      return value ?? ''
    })
    const read = readEntry(given, (problem) => tell(place, problem))
    const wrong = read && addressProblem(read.config, allowHttp)
    if (wrong !== undefined) tell(`${place}.config.${wrong.name}`, wrong.problem)
    return read ?? []
  })
  for (const doubled of doubledIn(providers.map(({ slug }) => slug))) tell(`slug ${doubled}`, 'stands twice')
  for (const doubled of doubledIn(providers.flatMap(({ domains }) => domains)))
    tell(`domain ${doubled}`, 'stands twice')
  if (problems.length > 0) throw new ConfigError(problems)
  return providers
}

function contentOf(path: string): unknown {
  try {
    const text = readFileSync(path, 'utf8')
    if (text.length > MAX_CHARACTERS) throw new Error('it is larger than a million characters')
    return parse(text, { maxAliasCount: 100 })
  } catch (error) {
    const reason = error instanceof Error ? error.message.split('\n', 1)[0] : String(error)
    throw new ConfigError([`AUTH_PROVIDERS_CONFIG ${path} can't be read: ${reason}.`])
  }
}

function entriesOf(content: unknown, tell: (place: string, problem: string) => void): [string, unknown][] {
  const read = document.safeParse(content ?? { providers: {} })
  if (!read.success) {
    tell('providers', 'must be all there is: a list, or providers by their slug')
    return []
  }
  const { providers } = read.data
  if (Array.isArray(providers)) return providers.map((entry, index) => [`providers.${index}`, entry])
  return Object.entries(providers).map(([slug, entry]) => [
    `providers.${slug}`,
    typeof entry === 'object' && entry !== null ? { slug, ...entry } : entry,
  ])
}

/** After parsing, so that no value can change the structure around it. */
function interpolated(value: unknown, lookUp: (name: string) => string): unknown {
  if (typeof value === 'string')
    return value.replace(/\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g, (_, name: string) => lookUp(name))
  if (Array.isArray(value)) return value.map((item) => interpolated(item, lookUp))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, interpolated(item, lookUp)]))
}

function readEntry(entry: unknown, tell: (problem: string) => void): AuthProvider | undefined {
  try {
    const { provider } = readConfig(z.object({ provider: AuthProviderInput }), { provider: entry as string })
    return {
      ...provider,
      id: `file:${provider.slug}`,
      orgSlug: undefined,
      source: 'file',
      name: provider.name,
      icon: provider.icon,
      attributesMapping: provider.attributesMapping ?? {},
      domains: (provider.domains ?? []).map(mailDomainOf),
      enabled: provider.enabled ?? true,
      meta: provider.meta ?? {},
    }
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    for (const problem of error.problems) tell(problem.replace(/^provider\.?/, ''))
    return undefined
  }
}

const doubledIn = (texts: string[]): string[] => [
  ...new Set(texts.filter((text, index) => texts.indexOf(text) !== index)),
]
