import { SearchError } from '../search.ts'
import { ADMIN_MS, bodyOf, type IndexContext } from './store.ts'
import { allDataStreams } from './stream-names.ts'
import { isOurs, PRIORITY } from './template.ts'

interface Listed {
  name: string
  index_template: {
    index_patterns?: string[]
    priority?: number
    template?: { mappings?: { _meta?: { platform?: unknown } } }
  }
}

/** Templates that are not the platform's and win over its own: one sentence each, for operators. */
export async function foreignTemplateWarnings(context: IndexContext): Promise<string[]> {
  return (await foreignTemplates(context)).map(sentence)
}

/**
 * Rejects when the data stream of this name would be made out of another template: then events would get a mapping
 * made up from what comes first.
 */
export async function checkWhatApplies(context: IndexContext, dataStream: string): Promise<void> {
  const response = await context.store<{ template?: { mappings?: unknown } }>({
    method: 'POST',
    path: `/_index_template/_simulate_index/${dataStream}`,
    timeoutMs: ADMIN_MS,
  })
  // A build may lack the simulation.
  if (response.status === 400 || response.status === 404 || response.status === 405) return
  const { template } = bodyOf(response)
  // Without any template the store was wiped a moment ago, and says so itself.
  if (template === undefined || isOurs(template.mappings)) return
  const [foreign] = await foreignTemplates(context)
  throw new SearchError(
    foreign === undefined ? `Another template applies to ${dataStream}.` : sentence(foreign),
    {
      unavailable: true,
      code: 'FOREIGN_TEMPLATE',
    },
  )
}

async function foreignTemplates(context: IndexContext): Promise<Listed[]> {
  const { index_templates: all = [] } = bodyOf(
    await context.store<{ index_templates?: Listed[] }>({
      method: 'GET',
      path: '/_index_template',
      query: {
        filter_path: ['name', 'index_template.index_patterns', 'index_template.priority', META]
          .map((field) => `index_templates.${field}`)
          .join(),
      },
      timeoutMs: ADMIN_MS,
    }),
  )
  const streams = allDataStreams(context.template.prefix)
  return all.filter((one) => !isPlatform(one) && wins(one, streams))
}

const META = 'index_template.template.mappings._meta'

const isPlatform = ({ index_template }: Listed): boolean =>
  index_template.template?.mappings?._meta?.platform !== undefined

/** Of two with the same priority the store takes none that overlaps. */
const wins = ({ index_template: { priority = 0, index_patterns: patterns = [] } }: Listed, streams: string) =>
  priority > PRIORITY && patterns.some((pattern) => canMeet(pattern, streams.slice(0, -1)))

/** True when a pattern fits some name that begins with `start`: its first `*` may stand for the rest of it. */
function canMeet(pattern: string, start: string): boolean {
  const [fixed = '', ...others] = pattern.split('*')
  return fixed.startsWith(start) || (others.length > 0 && start.startsWith(fixed))
}

const sentence = ({ name, index_template: { index_patterns: patterns = [] } }: Listed): string =>
  `The index template ${name} (${patterns.join(', ')}) of the search store wins over the platform’s: ` +
  `give it a priority below ${PRIORITY} or other patterns.`
