import { type EventIndex, getEventIndex } from '@platform/contracts'
import { ask } from '../platform/call.ts'
import { columns, counted, type Paint, paintOf, plain, shownTime, type Terminal } from '../terminal.ts'

/** `ops events index`: exit code 1 while the log answers instead of an index that is configured. */
export async function showIndex(terminal: Terminal, options: { json?: boolean }): Promise<number> {
  const index = await ask(terminal, getEventIndex)

  terminal.print(
    options.json === true ? JSON.stringify(index, null, 2) : indexLines(index, paintOf(terminal)).join('\n'),
  )
  return index.stage === 'none' || index.answeredBy === 'index' ? 0 : 1
}

function indexLines(index: EventIndex, paint: Paint): string[] {
  if (index.stage === 'none') return ['There is no search index: the log in PostgreSQL is searched itself.']
  const { behind, progress, shards, rebuilding } = index
  const rows = [
    ['index', plain(index.driver)],
    ['stage', index.stage],
    ['answers', index.answeredBy === 'index' ? 'the index' : 'the log, until the index is well and complete'],
    ['built', `${shownTime(index.startedAt)} to ${shownTime(index.finishedAt)}`],
    ['copied', progress === null ? '-' : counted(progress.copied, 'event')],
    ['behind', behind === null ? '-' : `${counted(behind.events, 'event')}, ${Math.round(behind.seconds)} s`],
    ['rebuilding', rebuilding.length === 0 ? '-' : rebuilding.map(({ stream }) => plain(stream)).join(', ')],
    ['shards', shards === null ? 'not known' : `${shards.used} of ${shards.max}`],
    ['refused', counted(index.deadLetters, 'event')],
  ]
  const isWell = index.answeredBy === 'index'
  return columns(rows).map((line, at) => (at === 2 ? paint(isWell ? 'green' : 'yellow', line) : line))
}
