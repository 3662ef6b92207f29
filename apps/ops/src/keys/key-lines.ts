import type { MasterKeyUse, SigningKey } from '@platform/contracts'
import { counted, type Paint, shownTime, table } from '../terminal.ts'

const title = [
  'STATE',
  'KEY',
  'KIND',
  'ALG',
  'SEALED WITH',
  'PUBLISHED',
  'SIGNS SINCE',
  'REMOVED AFTER',
  'SESSIONS',
]
const colours = { signing: 'green', published: 'yellow', rotated: 'grey' } as const

/** The signing keys as a table. */
export function keyLines(keys: readonly SigningKey[], paint: Paint): string[] {
  const rows = keys.map((key) => [
    key.state,
    key.kid,
    key.kind,
    key.alg,
    key.sealedWith,
    shownTime(key.publishedAt),
    shownTime(key.signsSince),
    shownTime(key.removedAfter),
    String(key.sessions),
  ])
  return table({ paint, title, rows }, (at) => colours[keys[at]?.state ?? 'rotated'])
}

/** What each master key still holds: an old one may go when it holds nothing. */
export const masterKeyLines = (uses: readonly MasterKeyUse[], paint: Paint): string[] =>
  uses.map((use) => {
    const held = use.sealed.reduce((sum, { values }) => sum + values, 0)
    const where = use.sealed.map(({ place, values }) => `${values} in ${place}`).join(', ')
    if (!use.known)
      return paint(
        'red',
        `Master key ${use.id} is not in SECRETS_MASTER_KEYS: add it back, ` +
          `it has sealed ${counted(held, 'value')} (${where}).`,
      )
    const does = use.seals ? 'seals' : 'opens'
    const says = `Master key ${use.id} ${does}: ${counted(held, 'value')}${where === '' ? '' : ` (${where})`}`
    if (use.seals) return `${says}.`
    return held === 0
      ? `${says}: it may be taken out.`
      : paint('yellow', `${says}: they are sealed again within ten minutes.`)
  })
