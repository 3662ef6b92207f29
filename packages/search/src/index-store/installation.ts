import { SearchError } from '../search-error.ts'
import { ADMIN_MS, type IndexContext } from './index-context.ts'
import { installPolicies } from './lifecycle.ts'
import { bodyOf } from './store-request.ts'
import { guardName, isOurs, streamTemplate, templateName } from './template.ts'

/** How long an installation that was seen is believed in. */
const BELIEVED_MS = 1000

/**
 * The template of all streams, installed and read back before anything is written; writes wait for it. It is looked at again every
 * second while there are writes, because a store may be wiped at any moment.
 */
export class Installation {
  readonly #context: IndexContext
  readonly #deletionDays: number
  #seenAt = Number.NEGATIVE_INFINITY
  #running: Promise<void> | undefined

  constructor(context: IndexContext, deletionDays: number) {
    this.#context = context
    this.#deletionDays = deletionDays
  }

  /** Resolves when the template is there. Rejects with SearchError. */
  async ready(): Promise<void> {
    if (performance.now() - this.#seenAt < BELIEVED_MS) return
    this.#running ??= this.#see().finally(() => {
      this.#running = undefined
    })
    await this.#running
  }

  /** Something was missing: the next who writes looks again. */
  doubt(): void {
    this.#seenAt = Number.NEGATIVE_INFINITY
  }

  async #see(): Promise<void> {
    const startedAt = performance.now()
    if (!(await isInstalled(this.#context))) await install(this.#context, this.#deletionDays)
    this.#seenAt = startedAt
  }
}

async function install(context: IndexContext, deletionDays: number): Promise<void> {
  const { store, log } = context
  const lifecycle = await installPolicies(store, context.template, { deletionDays, log })
  context.template = { ...context.template, lifecycle }
  const { template } = context
  const name = templateName(template.prefix)
  const put = (path: string, body: object) => store({ method: 'PUT', path, body, timeoutMs: ADMIN_MS })
  bodyOf(await put(`/_ingest/pipeline/${guardName(template.prefix)}`, { processors: [] }))
  bodyOf(await put(`/_index_template/${name}`, streamTemplate(template)))
  if (!(await isInstalled(context))) throw missing(`The template ${name} was installed and is not there.`)
  await checkWhatApplies(context)
  context.log.info(`The template ${name} of the search store is installed.`)
}

/** True when the template is there as this version writes it, and the pipeline that guards writes. */
async function isInstalled({ store, template }: IndexContext): Promise<boolean> {
  const name = templateName(template.prefix)
  const [found, guard] = await Promise.all([
    store<{ index_templates?: { index_template: Found }[] }>({
      method: 'GET',
      path: `/_index_template/${name}`,
      timeoutMs: ADMIN_MS,
    }),
    store({ method: 'GET', path: `/_ingest/pipeline/${guardName(template.prefix)}`, timeoutMs: ADMIN_MS }),
  ])
  if (found.status === 404 || guard.status === 404) return false
  const { mappings, settings } = bodyOf(found).index_templates?.[0]?.index_template.template ?? {}
  const wanted = streamTemplate(template).template.settings
  const { number_of_shards: shards, number_of_replicas: replicas } = settings?.index ?? {}
  return (
    isOurs(mappings) &&
    shards === String(wanted.number_of_shards) &&
    replicas === String(wanted.number_of_replicas)
  )
}

interface Found {
  template?: { mappings?: unknown; settings?: { index?: Record<string, unknown> } }
}

/** Another template with a higher priority would win; then events would get a mapping made up from what comes first. */
async function checkWhatApplies({ store, template }: IndexContext): Promise<void> {
  const name = `${template.prefix}events-template-check`
  const answer = await store<{ template?: { mappings?: unknown } }>({
    method: 'POST',
    path: `/_index_template/_simulate_index/${name}`,
    timeoutMs: ADMIN_MS,
  })
  // A build may lack the simulation.
  if (answer.status === 400 || answer.status === 404 || answer.status === 405) return
  if (isOurs(bodyOf(answer).template?.mappings)) return
  throw missing(
    `Another index template of the search store applies to ${template.prefix}events-*: remove it.`,
  )
}

const missing = (message: string): SearchError =>
  new SearchError(message, { unavailable: true, code: 'TEMPLATE_MISSING' })
