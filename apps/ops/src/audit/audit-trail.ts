import { type AuditEntry, listAudit, verifyAudit } from '@platform/contracts'
import { ask } from '../platform/call.ts'
import { counted, paintOf, plain, shownTime, type Terminal, table } from '../terminal.ts'

export interface ListOptions {
  limit?: string
  before?: string
  action?: string
  subject?: string
  actor?: string
  json?: boolean
}

const title = ['ROW', 'AT', 'ACTION', 'ACTOR', 'SUBJECT', 'IP', 'DETAILS']
const alarming = /\.(refused|removed|deactivated|deleted)$/

/** `ops audit list`: the newest rows first. */
export async function listTrail(terminal: Terminal, { json, ...filter }: ListOptions): Promise<number> {
  const given = Object.entries(filter).filter(([, value]) => value !== undefined)
  const query = given.length === 0 ? '' : `?${new URLSearchParams(Object.fromEntries(given))}`
  const entries = await ask(terminal, listAudit, { path: `${listAudit.path}${query}` })

  terminal.print(json === true ? JSON.stringify(entries, null, 2) : lines(terminal, entries).join('\n'))
  return 0
}

function lines(terminal: Terminal, entries: readonly AuditEntry[]): string[] {
  if (entries.length === 0) return ['No row matches.']
  const rows = entries.map((entry) => [
    String(entry.sequence),
    shownTime(entry.at),
    entry.action,
    entry.actor,
    entry.subject,
    entry.ip ?? '-',
    JSON.stringify(entry.details),
  ])
  return table({ paint: paintOf(terminal), title, rows }, (at) =>
    alarming.test(entries[at]?.action ?? '') ? 'yellow' : undefined,
  )
}

/** `ops audit verify [--head HASH]`: exit code 1 when the trail was tampered with. */
export async function verifyTrail(terminal: Terminal, options: { head?: string }): Promise<number> {
  const query = options.head === undefined ? '' : `?head=${encodeURIComponent(options.head)}`
  const verdict = await ask(terminal, verifyAudit, { path: `${verifyAudit.path}${query}` })

  const paint = paintOf(terminal)
  if (verdict.broken !== null) {
    const { sequence, reason } = verdict.broken
    const sound =
      verdict.entries === 0 ? 'No row before it is sound' : `Rows 1 to ${verdict.entries} are sound`
    terminal.print(paint('red', `The audit trail is broken at row ${sequence}. ${plain(reason)} ${sound}.`))
    return 1
  }
  terminal.print(paint('green', `The audit trail is whole: ${counted(verdict.entries, 'row')}.`))
  if (verdict.head !== null)
    terminal.print(`Note this head elsewhere, and give it with --head next time:\n${plain(verdict.head)}`)
  return 0
}
