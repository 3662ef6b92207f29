import { family, inSecret } from '@platform/config'
import {
  isSystemSecret,
  SECRET_MAX,
  SecretName,
  systemSecretProblem,
  WorkspaceSlug,
} from '@platform/contracts'
import { type OverriddenSecret, Overrides } from './overrides.ts'

const CONFIG = 'WORKSPACE_CONFIG_'
const SECRET = 'WORKSPACE_SECRET_'
const AFTER = '<slug>_<KEY>'

/** What operators give to workspaces, by their slugs. */
export const overrideVariables = {
  'WORKSPACE_CONFIG_<slug>_<KEY>': family(CONFIG).describe(
    'A value of the config of the workspace with this slug, in place of the one that is stored: JSON, where it is a ' +
      'list, an object, a number, true, false or null, else a text. ' +
      'A dash of the slug may be written as two underscores.',
  ),
  'WORKSPACE_SECRET_<slug>_<KEY>': inSecret(
    family(SECRET).describe(
      'A secret of the workspace with this slug, in place of the one that is stored. It needs SECRETS_MASTER_KEYS.',
    ),
  ),
}

interface OverrideEnv {
  readonly 'WORKSPACE_CONFIG_<slug>_<KEY>'?: Readonly<Record<string, string>> | undefined
  readonly 'WORKSPACE_SECRET_<slug>_<KEY>'?: Readonly<Record<string, string>> | undefined
  readonly SECRETS_MASTER_KEYS?: unknown
}

/** What is wrong with a variable: a phrase that follows its name, and never its value. */
interface Problem {
  readonly variable: string
  readonly message: string
}

/** What the environment gives to workspaces, and what is wrong with it. */
export function readOverrides(env: OverrideEnv): {
  readonly overrides: Overrides
  readonly problems: Problem[]
} {
  const configs = namedIn(CONFIG, env['WORKSPACE_CONFIG_<slug>_<KEY>'])
  const secrets = namedIn(SECRET, env['WORKSPACE_SECRET_<slug>_<KEY>'])
  const keyless = env.SECRETS_MASTER_KEYS === undefined ? secrets.named.slice(0, 1) : []
  const problems = [
    ...configs.problems,
    ...secrets.problems,
    ...secrets.named.flatMap(secretProblems),
    ...keyless.map(({ variable }) => ({
      variable,
      message: 'needs SECRETS_MASTER_KEYS: give it to the runtime',
    })),
  ]
  const ofSlug = <T>(named: readonly Named[], entryOf: (one: Named) => T) =>
    new Map(
      [...Map.groupBy(named, ({ slug }) => slug)].map(([slug, all]) => [
        slug,
        new Map(all.map((one) => [one.key, entryOf(one)])),
      ]),
    )
  const secretOf = ({ variable, value }: Named): OverriddenSecret => ({ variable, value })
  const overrides = new Overrides({
    config: ofSlug(configs.named, ({ value }) => configValue(value)),
    secrets: ofSlug(secrets.named, secretOf),
  })
  return { overrides, problems }
}

/** A variable of a family, taken apart. */
interface Named {
  readonly variable: string
  readonly slug: string
  readonly key: string
  readonly value: string
}

/**
 * A slug has no underscore, so the first one that stands alone ends it: two are a dash, for shells whose variables
 * have none, and a key begins with something else. Thus a name is read in one way only.
 */
const NAME = /^((?:[a-z0-9-]|__)+)_([^_].*)$/

function namedIn(
  beginning: string,
  given: Readonly<Record<string, string>> = {},
): { named: Named[]; problems: Problem[] } {
  const [named, problems]: [Named[], Problem[]] = [[], []]
  const known = new Map<string, string>()
  for (const [variable, value] of Object.entries(given)) {
    const [, written = '', key = ''] = NAME.exec(variable.slice(beginning.length)) ?? []
    const slug = written.replaceAll('__', '-')
    const other = known.get(`${slug}_${key}`)
    if (!WorkspaceSlug.safeParse(slug).success || !SecretName.safeParse(key).success)
      problems.push({ variable, message: malformed(beginning) })
    else if (other !== undefined)
      problems.push({ variable, message: `names the same as ${other}: keep one of the two` })
    else named.push({ variable, slug, key, value })
    known.set(`${slug}_${key}`, variable)
  }
  return { named, problems }
}

const malformed = (beginning: string): string =>
  `must be ${beginning}${AFTER}: the slug of a workspace as it is, in small letters, digits and dashes (a dash may ` +
  'be written as two underscores), then one underscore and a name that does not begin with another'

function secretProblems({ variable, key, value }: Named): Problem[] {
  const system = isSystemSecret(key) ? systemSecretProblem(key, value) : undefined
  if (system !== undefined) return [{ variable, message: system }]
  return value.length > SECRET_MAX
    ? [{ variable, message: `must have at most ${SECRET_MAX} characters` }]
    : []
}

/** A number counts as one only where its text is kept that way: a key of digits stays what it is. */
function configValue(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'string') return text
    return typeof value === 'number' && String(value) !== text ? text : value
  } catch {
    return text
  }
}
