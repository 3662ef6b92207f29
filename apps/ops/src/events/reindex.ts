import { setTimeout as pause } from 'node:timers/promises'
import { type EventIndex, getEventIndex, reindexEvents } from '@platform/contracts'
import { ask } from '../platform/call.ts'
import { counted, paintOf, type Terminal } from '../terminal.ts'

const EVERY_MS = 500
const WIDTH = 30

export interface ReindexOptions {
  workspace?: string
  wait: boolean
}

/** `ops events reindex [--workspace id]`: prints a bar whenever it has grown, until the index is built. */
export async function reindex(terminal: Terminal, { workspace, wait }: ReindexOptions): Promise<number> {
  const query = workspace === undefined ? '' : `?${new URLSearchParams({ workspace })}`
  let index = await ask(terminal, reindexEvents, { path: `${reindexEvents.path}${query}` })
  if (!wait) {
    terminal.print(
      'The index is being built; the log answers meanwhile. "ops events index" shows how far it is.',
    )
    return 0
  }

  const paint = paintOf(terminal)
  let shown = ''
  while (!isDone(index, workspace)) {
    const bar = barOf(index, workspace)
    if (bar !== shown) terminal.print(paint('grey', bar))
    shown = bar
    await pause(EVERY_MS)
    index = await ask(terminal, getEventIndex)
  }
  terminal.print(paint('green', doneLine(index, workspace)))
  return 0
}

/** Streams that differ after a build are built again one by one: the build is over after them. */
const isDone = ({ stage, rebuilding }: EventIndex, workspace: string | undefined): boolean =>
  workspace === undefined
    ? stage === 'ready' && rebuilding.length === 0
    : !rebuilding.some(({ stream }) => stream === `events-${workspace}`)

function barOf({ stage, progress, rebuilding }: EventIndex, workspace: string | undefined): string {
  if (workspace !== undefined) {
    const stream = rebuilding.find((one) => one.stream === `events-${workspace}`)
    return `building the events of ${workspace}: ${counted(stream?.copied ?? 0, 'event')}`
  }
  const { copied, total } = progress ?? { copied: 0, total: 0 }
  const share = stage === 'building' ? Math.min(1, copied / Math.max(1, total)) : Number(stage !== 'emptying')
  const full = Math.floor(share * WIDTH)
  const percent = String(Math.floor(share * 100)).padStart(3)
  return `[${'#'.repeat(full)}${'.'.repeat(WIDTH - full)}] ${percent} % ${stage}, ${counted(copied, 'event')}`
}

const doneLine = ({ progress }: EventIndex, workspace: string | undefined): string =>
  workspace === undefined
    ? `The index is built: ${counted(progress?.copied ?? 0, 'event')}.`
    : `The events of ${workspace} are in the index again.`
