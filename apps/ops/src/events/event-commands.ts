import type { Command } from 'commander'
import type { Terminal } from '../terminal.ts'
import { listLetters, replayLetters } from './dead-letters.ts'
import { showIndex } from './index-state.ts'
import { reindex } from './reindex.ts'
import { tailWorkspace } from './tail.ts'

/** `ops events …`; `done` gets the exit code. */
export function addEvents(program: Command, terminal: Terminal, done: (code: number) => void): void {
  const events = program.command('events').description('Events: their search index and what was given up.')
  events
    .command('tail <workspace>')
    .description('Show the events of a workspace as they happen, until you end it; goes on after a restart.')
    .option('--types <names>', 'only these, comma-separated')
    .option('--json', 'print each as it is kept, one a line')
    .action(async (workspace: string, options) => done(await tailWorkspace(terminal, workspace, options)))
  events
    .command('index')
    .description('Show how far the search index is built and how far it is behind.')
    .option('--json', 'print it as it is answered')
    .action(async (options) => done(await showIndex(terminal, options)))
  events
    .command('reindex')
    .description('Build the search index again from the log, which answers meanwhile; shows the progress.')
    .option('--workspace <id>', 'only the events of this workspace')
    .option('--no-wait', 'do not wait for the end')
    .action(async (options) => done(await reindex(terminal, options)))
  events
    .command('dead-letters')
    .description('Show the events that were given up, and why.')
    .option('--group <name>', 'only what this group gave up, for example index')
    .option('--json', 'print them as they are answered')
    .action(async (options) => done(await listLetters(terminal, options)))
  events
    .command('replay <group> [eventId]')
    .description('Have a group handle again what it gave up: one event, or all.')
    .action(async (group: string, eventId: string | undefined) =>
      done(await replayLetters(terminal, group, eventId)),
    )
}
