import { SearchError } from '../search.ts'
import { checkWhatApplies } from './foreign-templates.ts'
import { installPolicies } from './lifecycle.ts'
import { ADMIN_MS, bodyOf, type IndexContext, reasonOf } from './store.ts'
import { guardName, streamTemplate, templateName } from './template.ts'
import { type FoundTemplate, isNewer, isSame, lifecycleOf } from './template-drift.ts'

/** How long an installation that was seen is believed in. */
const BELIEVED_MS = 1000

/**
 * The template of all streams, installed and read back before anything is written; writes wait for it. It is looked
 * at again every second while there are writes, because a store may be wiped at any moment.
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
  const { status, body } = await put(`/_index_template/${name}`, streamTemplate(template))
  if (status >= 400) throw missing(`The template ${name} can’t be installed: ${reasonOf(body)}`)
  if (!(await isInstalled(context))) throw missing(`The template ${name} was installed and is not there.`)
  await checkWhatApplies(context, `${name}-template-check`)
  context.log.info(`The template ${name} of the search store is installed.`)
}

/** True when the template is there as this version writes it, and the pipeline that guards writes. */
async function isInstalled(context: IndexContext): Promise<boolean> {
  const { store, template } = context
  const name = templateName(template.prefix)
  const [response, guard] = await Promise.all([
    store<{ index_templates?: { index_template: FoundTemplate }[] }>({
      method: 'GET',
      path: `/_index_template/${name}`,
      timeoutMs: ADMIN_MS,
    }),
    store({ method: 'GET', path: `/_ingest/pipeline/${guardName(template.prefix)}`, timeoutMs: ADMIN_MS }),
  ])
  if (response.status === 404 || guard.status === 404) return false
  const found = bodyOf(response).index_templates?.[0]?.index_template ?? {}
  // While versions change, the old one stops writing instead of undoing what the new one did.
  if (isNewer(found, template))
    throw missing(`A newer version of the platform installed the template ${name}: start that version here.`)
  if (!isSame(found, template)) return false
  context.template = { ...template, lifecycle: template.lifecycle ?? lifecycleOf(found, template) }
  return true
}

const missing = (message: string): SearchError =>
  new SearchError(message, { unavailable: true, code: 'TEMPLATE_MISSING' })
