import { type EventDeadLetter, listDeadLetters, replayDeadLetters } from '@platform/contracts'
import { ask } from '../platform/call.ts'
import { counted, paintOf, shownTime, type Terminal, table } from '../terminal.ts'

const title = ['GROUP', 'EVENT', 'TYPE', 'WORKSPACE', 'AT', 'REASON']
const PAGE = 200

/** `ops events dead-letters`: all of them, oldest first; exit code 1 when there are any. */
export async function listLetters(
  terminal: Terminal,
  { group, json }: { group?: string; json?: boolean },
): Promise<number> {
  const letters: EventDeadLetter[] = []
  let after: number | null | undefined
  do {
    const query = new URLSearchParams({ limit: String(PAGE) })
    if (group !== undefined) query.set('group', group)
    if (typeof after === 'number') query.set('after', String(after))
    const page = await ask(terminal, listDeadLetters, { path: `${listDeadLetters.path}?${query}` })
    letters.push(...page.deadLetters)
    after = page.next
  } while (after !== null)

  terminal.print(json === true ? JSON.stringify(letters, null, 2) : lines(terminal, letters).join('\n'))
  return letters.length === 0 ? 0 : 1
}

function lines(terminal: Terminal, letters: readonly EventDeadLetter[]): string[] {
  if (letters.length === 0) return ['Nothing was given up.']
  const rows = letters.map((letter) => [
    letter.group,
    letter.eventId,
    letter.type ?? '-',
    letter.workspaceId ?? '-',
    shownTime(letter.at),
    letter.replaying ? `${letter.reason} (is tried again)` : letter.reason,
  ])
  return table({ paint: paintOf(terminal), title, rows })
}

/** `ops events replay <group> [eventId]`: what fails again is a dead letter again. */
export async function replayLetters(terminal: Terminal, group: string, eventId?: string): Promise<number> {
  const body = { group, ...(eventId === undefined ? {} : { eventId }) }
  const { replayed } = await ask(terminal, replayDeadLetters, { body })

  terminal.print(`The group ${group} handles ${counted(replayed, 'event')} again.`)
  return 0
}
