import type { EventContract } from '@platform/contracts'
import { z } from 'zod'
import { fieldRows } from './field-rows.ts'

/** `docs/events.md`: every native event with when it comes and what its payload holds. */
export function eventsPage(events: readonly EventContract[]): string {
  const areas = Map.groupBy(events, ({ type }) => type.split('.')[0] ?? type)
  const contents = [...areas].map(
    ([area, members]) =>
      `- **${area}**: ${members.map(({ type }) => `[${type}](#${anchorOf(type)})`).join(', ')}`,
  )
  const parts = [
    '# Native events',
    'Generated from packages/contracts: what each event of the platform carries in `payload`. ' +
      'Nobody else can emit these types. A field with `*` is always there; open objects may hold ' +
      'more than is told.',
    contents.join('\n'),
    ...events.map(sectionOf),
  ]
  return `${parts.join('\n\n')}\n`
}

function sectionOf({ type, emittedWhen, everyInstance, payload }: EventContract): string {
  const heard = everyInstance === true ? ' Every instance of the platform hears of it at once.' : ''
  const schema = z.toJSONSchema(payload, { unrepresentable: 'any', io: 'output' })
  const rows = fieldRows(schema)
  const open = schema.additionalProperties === false ? '' : '\n\nThe payload is open: it may hold more.'
  const table = rows.length === 0 ? '' : `\n\n| Field | Type | Meaning |\n|---|---|---|\n${rows.join('\n')}`
  return `## ${type}\n\n${emittedWhen}${heard}${table}${open}`
}

/** As the pages of repositories make anchors of headings. */
const anchorOf = (type: string): string => type.toLowerCase().replace(/[^a-z0-9-]/g, '')
