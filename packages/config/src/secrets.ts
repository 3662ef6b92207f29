import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { familiesOf, membersOf } from './families.ts'
import { ConfigError, type Env } from './read-config.ts'

/** What is noted of a variable whose value is, or holds, a secret. */
interface SecretNote {
  secret: true
  /** The variable whose URL it is the password of. */
  passwordOf?: string
}

/** A variable that holds a secret: it may also be given as `<name>_FILE`, the path of a file that holds it. */
export const inSecret = <Field extends z.ZodType>(field: Field): Field =>
  field.meta({ ...field.meta(), secret: true } satisfies SecretNote) as Field

/** The password of the server that another variable names, for one that is awkward to write into a URL. */
export const passwordOf = (urlVariable: string) =>
  z
    .string()
    .optional()
    .meta({ secret: true, passwordOf: urlVariable } satisfies SecretNote)
    .describe(`Password of the server in ${urlVariable}, as it is: nothing in it needs to be encoded.`)

/** An environment in which every secret is a value, and which of them came from files. */
export interface ResolvedSecrets {
  env: Env
  fromFiles: Env
}

/**
 * Reads the files that `<name>_FILE` names for the secrets of `schemas`, and puts passwords into the URLs they belong
 * to. Throws ConfigError with all problems.
 */
export function resolveSecrets(schemas: readonly z.ZodType[], env: Env): ResolvedSecrets {
  const problems: string[] = []
  const notes = secretNotes(schemas)
  const fromFiles: Env = {}
  const names = [...notes.keys(), ...secretMembers(schemas, notes, env)].filter((name) =>
    isGiven(env, `${name}_FILE`),
  )
  for (const name of names) fromFiles[name] = attempt(() => secretOf(env, name), problems)
  const paths = new Set(names.map((name) => `${name}_FILE`))
  const values = Object.entries(env).filter(([name]) => !paths.has(name))
  const resolved: Env = { ...Object.fromEntries(values), ...fromFiles }
  for (const [name, { passwordOf: urlVariable }] of notes) {
    if (urlVariable === undefined || !isGiven(resolved, name)) continue
    resolved[urlVariable] = attempt(() => urlWithPassword(resolved, urlVariable, name), problems)
    delete resolved[name]
  }
  if (problems.length > 0) throw new ConfigError(problems)
  return { env: resolved, fromFiles }
}

/**
 * A secret of the environment, given itself or as a file; undefined where it is not. Throws ConfigError with a sentence
 * that names both variables and never the value.
 */
export function secretOf(env: Env, name: string): string | undefined {
  const fileVariable = `${name}_FILE`
  const path = env[fileVariable]
  if (path === undefined || path === '') return isGiven(env, name) ? env[name] : undefined
  if (isGiven(env, name))
    throw new ConfigError([`${name} and ${fileVariable} are both given: keep one of the two.`])
  const value = contentOf(path, name).replace(/\r?\n$/, '')
  if (value === '')
    throw new ConfigError([
      `${fileVariable} names ${path}, which is empty: write the value of ${name} there.`,
    ])
  return value
}

/** The variables of schemas that hold secrets, by name, as they were noted. */
export function secretNotes(schemas: readonly z.ZodType[]): Map<string, SecretNote> {
  const notes = new Map<string, SecretNote>()
  for (const schema of schemas) {
    const { properties = {} } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })
    for (const [name, property] of Object.entries(properties)) {
      const note = property as Partial<SecretNote>
      if (note.secret === true) notes.set(name, note as SecretNote)
    }
  }
  return notes
}

/** The secrets of families that an environment names files for. */
function secretMembers(
  schemas: readonly z.ZodType[],
  notes: ReadonlyMap<string, SecretNote>,
  env: Env,
): Set<string> {
  const families = schemas.flatMap((schema) => [...familiesOf(schema)]).filter(([name]) => notes.has(name))
  const members = families.flatMap(([, beginning]) => membersOf(beginning, env))
  return new Set(
    members.flatMap(([name]) => (name.endsWith('_FILE') ? [name.slice(0, -'_FILE'.length)] : [])),
  )
}

const isGiven = (env: Env, name: string): boolean => (env[name] ?? '') !== ''

function contentOf(path: string, name: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const remedy =
      code === 'ENOENT'
        ? 'put the file there'
        : code === 'EACCES'
          ? 'give this user the right to'
          : 'name a file with text'
    throw new ConfigError([
      `${name}_FILE names ${path}, which can't be read (${code}): ${remedy}, or give ${name} itself.`,
    ])
  }
}

/** Scheme, what stands before the hosts, and the rest; hosts may be a comma list, which no parser of URLs takes. */
const SERVER = /^([a-z][a-z0-9+.-]*:\/\/)(?:([^@/?#]*)@)?([^@]+)$/
/** Servers that know a password without a user. */
const WITHOUT_USER = /^rediss?:/

function urlWithPassword(env: Env, urlVariable: string, name: string): string {
  const [, scheme = '', user = '', rest] = SERVER.exec(env[urlVariable] ?? '') ?? []
  const problem = (sentence: string) => new ConfigError([sentence])
  if (rest === undefined)
    throw problem(
      `${name} is given, but ${urlVariable} names no server: take it away, or name the server there.`,
    )
  if (user.includes(':'))
    throw problem(`${urlVariable} has a password, and ${name} gives another: keep one of the two.`)
  if (user === '' && !WITHOUT_USER.test(scheme))
    throw problem(`${urlVariable} names no user for ${name}: write ${scheme}<user>@${rest}.`)
  return `${scheme}${user}:${encodeURIComponent(env[name] ?? '')}@${rest}`
}

function attempt<T>(work: () => T, problems: string[]): T | undefined {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    problems.push(...error.problems)
    return undefined
  }
}
