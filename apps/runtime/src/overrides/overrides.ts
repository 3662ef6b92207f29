import { isSystemSecret } from '@platform/contracts'
import { Failure } from '@platform/kernel'

/** A secret that an operator has set, and where. */
export interface OverriddenSecret {
  readonly variable: string
  readonly value: string
}

/** The workspace something is asked of. */
interface Named {
  readonly slug: string
}

/** By the slug of a workspace, and by name. */
type BySlug<T> = ReadonlyMap<string, ReadonlyMap<string, T>>

/**
 * Config and secrets that operators give to workspaces in the environment of the runtime (ADR 0083). They count for
 * the workspace that has the slug, before what is stored, and nobody changes them through the platform.
 */
export class Overrides {
  readonly #config: BySlug<unknown>
  readonly #secrets: BySlug<OverriddenSecret>

  constructor({ config, secrets }: { config?: BySlug<unknown>; secrets?: BySlug<OverriddenSecret> } = {}) {
    this.#config = config ?? new Map()
    this.#secrets = secrets ?? new Map()
  }

  /** The values of a config with those that override it; the same one where there are none. */
  configOf({ slug }: Named, stored: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
    const values = this.#config.get(slug)
    return values === undefined ? stored : { ...stored, ...Object.fromEntries(values) }
  }

  /** undefined where the stored one counts. */
  findSecret({ slug }: Named, name: string): string | undefined {
    return this.#secrets.get(slug)?.get(name)?.value
  }

  /** Names of the secrets of a workspace, or of what the platform keeps for it. */
  listSecrets({ slug }: Named, scope: 'workspace' | 'system'): string[] {
    const names = [...(this.#secrets.get(slug)?.keys() ?? [])]
    return names.filter((name) => isSystemSecret(name) === (scope === 'system'))
  }

  /** Slugs of the workspaces for which something of the platform is set. */
  listSystemSlugs(): string[] {
    return [...this.#secrets.keys()].filter((slug) => this.listSecrets({ slug }, 'system').length > 0)
  }

  /** Throws where a secret is not to be changed here. */
  requireChangeable({ slug }: Named, name: string): void {
    const given = this.#secrets.get(slug)?.get(name)
    if (given === undefined) return
    throw new Failure(
      'ForbiddenError',
      `The secret "${name}" is set by an operator, as ${given.variable} in the environment of the runtime: ` +
        'only there it is changed.',
    )
  }
}
