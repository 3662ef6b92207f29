import { replayDeadLetters } from '@platform/contracts'
import { ask } from '../platform/call.ts'
import { counted, type Terminal } from '../terminal.ts'

/** `ops events replay <group> [eventId]`: what fails again is a dead letter again. */
export async function replayLetters(terminal: Terminal, group: string, eventId?: string): Promise<number> {
  const body = { group, ...(eventId === undefined ? {} : { eventId }) }
  const { replayed } = await ask(terminal, replayDeadLetters, { body })

  terminal.print(`The group ${group} handles ${counted(replayed, 'event')} again.`)
  return 0
}
