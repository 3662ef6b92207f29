import { verifyAudit } from '@platform/contracts'
import { ask } from '../platform/call.ts'
import { counted, paintOf, plain, type Terminal } from '../terminal.ts'

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
