import { getSuspension, putSuspension, type WorkspaceSuspension } from '@platform/contracts'
import type { Command } from 'commander'
import { ask } from '../platform/call.ts'
import { paintOf, plain, shownTime, type Terminal } from '../terminal.ts'

/** `ops workspaces …`; `done` gets the exit code. */
export function addWorkspaces(program: Command, terminal: Terminal, done: (code: number) => void): void {
  const workspaces = program.command('workspaces').description('What an operator does to a workspace.')
  workspaces
    .command('suspend <workspace>')
    .description('Stop what a workspace executes; calls answer 403 with the reason, and nothing is lost.')
    .requiredOption('--reason <text>', 'shown to whoever calls or reads the workspace')
    .action(async (workspace: string, { reason }: { reason: string }) =>
      done(await changeSuspension(terminal, workspace, { suspended: true, reason })),
    )
  workspaces
    .command('resume <workspace>')
    .description('Let a suspended workspace execute again; runs that failed meanwhile are retried by hand.')
    .action(async (workspace: string) =>
      done(await changeSuspension(terminal, workspace, { suspended: false })),
    )
  workspaces
    .command('suspension <workspace>')
    .description('Show whether a workspace is suspended, since when, why and by whom.')
    .option('--json', 'print it as it is answered')
    .action(async (workspace: string, options) => done(await showSuspension(terminal, workspace, options)))
}

async function changeSuspension(
  terminal: Terminal,
  workspace: string,
  body: { suspended: boolean; reason?: string },
): Promise<number> {
  const suspension = await ask(terminal, putSuspension, { path: pathOf(workspace), body })
  terminal.print(lineOf(terminal, suspension))
  return 0
}

async function showSuspension(
  terminal: Terminal,
  workspace: string,
  options: { json?: boolean },
): Promise<number> {
  const suspension = await ask(terminal, getSuspension, { path: pathOf(workspace) })
  terminal.print(
    options.json === true ? JSON.stringify(suspension, undefined, 2) : lineOf(terminal, suspension),
  )
  return 0
}

/** By its id, or by `slug:` and its slug. */
const pathOf = (workspace: string): string =>
  getSuspension.path.replace(':workspaceId', encodeURIComponent(workspace))

function lineOf(
  terminal: Terminal,
  { workspaceId, suspended, reason, suspendedAt, suspendedBy }: WorkspaceSuspension,
): string {
  const paint = paintOf(terminal)
  const id = plain(workspaceId)
  if (!suspended) return `${id} is ${paint('green', 'active')}.`
  const since = `since ${shownTime(suspendedAt)} by ${plain(suspendedBy ?? '-')}`
  return `${id} is ${paint('red', 'suspended')} ${since}: ${plain(reason)}`
}
