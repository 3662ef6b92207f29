import { Command, CommanderError } from 'commander'
import { resetPassword } from './admin/reset-password.ts'
import { listTrail, verifyTrail } from './audit/audit-trail.ts'
import { testDirectory } from './automations/test-directory.ts'
import { addBackup } from './backup/backup-commands.ts'
import { printConfig } from './config/print.ts'
import { addEvents } from './events/event-commands.ts'
import { listKeys, rotateKey } from './keys/list-and-rotate.ts'
import { removeKey } from './keys/remove.ts'
import { showReadiness } from './readiness/show.ts'
import { createSecrets } from './secrets/create.ts'
import { OpsProblem, type Terminal } from './terminal.ts'
import { createAccount } from './users/create.ts'
import { addWorkspaces } from './workspaces/suspension.ts'

/** Runs one command; answers the exit code. A failure is reported as a sentence. */
export async function ops(args: readonly string[], terminal: Terminal): Promise<number> {
  let code = 0
  const asking = { ...terminal }
  const program = commands(asking, (outcome) => {
    code = outcome
  }).hook('preAction', () => {
    const { at } = program.opts<{ at?: string }>()
    if (at !== undefined) asking.env = { ...terminal.env, INTERNAL_API_URL: at }
  })
  try {
    await program.parseAsync([...args], { from: 'user' })
    return code
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode
    terminal.complain(error instanceof OpsProblem ? error.message : `The command failed: ${String(error)}.`)
    return 1
  }
}

type Done = (code: number) => void

function commands(terminal: Terminal, done: Done): Command {
  const program = new Command('ops')
    .description('What an operator of the platform types.')
    .option('--at <url>', 'ask the process at this address, for example http://events:3004')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => terminal.print(text.trimEnd()),
      writeErr: (text) => terminal.complain(sentence(text)),
    })

  program
    .command('readiness')
    .description('Show what is ready and what is not; exit code 0 when everything is.')
    .option('--json', 'print the report as it is answered')
    .option('--services <names>', 'only these, comma-separated')
    .action(async (options) => done(await showReadiness(terminal, options)))

  const admin = program.command('admin').description('Accounts.')
  admin
    .command('reset-password <email>')
    .description('Give an account a new password, printed once, and end its sessions.')
    .action(async (email: string) => done(await resetPassword(terminal, email)))

  const users = program.command('users').description('People.')
  users
    .command('create <email>')
    .description('Make an account that can be used at once; its password is printed once.')
    .requiredOption('--first-name <name>', 'their first name')
    .requiredOption('--last-name <name>', 'their last name')
    .action(async (email: string, options) => done(await createAccount(terminal, email, options)))

  const secrets = program.command('secrets').description('Secrets of a deployment.')
  secrets
    .command('create <directory>')
    .description('Make the secrets that are missing there, a file each; what is there is never changed.')
    .option('--writable <folders...>', 'let every user write into these folders')
    .action(async (directory: string, options) => done(await createSecrets(terminal, directory, options)))

  addKeys(program, terminal, done)
  addAudit(program, terminal, done)
  addEvents(program, terminal, done)
  addBackup(program, terminal, done)
  addAutomations(program, terminal, done)
  addWorkspaces(program, terminal, done)

  const config = program.command('config').description('Configuration.')
  config
    .command('print')
    .description('Show every variable, its value and where it comes from; secrets stay hidden.')
    .action(async () => done(await printConfig(terminal)))
  return program
}

function addKeys(program: Command, terminal: Terminal, done: Done): void {
  const keys = program.command('keys').description('Signing keys and the master keys that seal them.')
  keys
    .command('list')
    .description('Show the keys, their states, and how many sessions depend on each.')
    .option('--json', 'print them as they are answered')
    .action(async (options) => done(await listKeys(terminal, options)))
  keys
    .command('rotate')
    .description('Replace the key that signs; nobody is signed out.')
    .option('--now', 'sign with the new key at once instead of after JWKS_PUBLISH_AHEAD')
    .action(async (options) => done(await rotateKey(terminal, options)))
  keys
    .command('remove <kid>')
    .description('Remove a compromised key: shows whom that signs out and asks.')
    .option('--yes', 'do not ask')
    .action(async (kid: string, options) => done(await removeKey(terminal, kid, options)))
}

function addAudit(program: Command, terminal: Terminal, done: Done): void {
  const audit = program.command('audit').description('The audit trail.')
  audit
    .command('verify')
    .description('Recompute the chain; exit code 1 and the first broken row when it was tampered with.')
    .option('--head <hash>', 'the head noted last time: proves that nothing was cut off since')
    .action(async (options) => done(await verifyTrail(terminal, options)))
  audit
    .command('list')
    .description('Show the newest rows.')
    .option('--limit <rows>', 'how many, 50 without it')
    .option('--before <row>', 'only rows before this one')
    .option('--action <name>', 'only these, for example signingKey.removed')
    .option('--subject <name>', 'only what happened to it, for example user:<id>')
    .option('--actor <name>', 'only what they did, for example platform')
    .option('--json', 'print them as they are answered')
    .action(async (options) => done(await listTrail(terminal, options)))
}

function addAutomations(program: Command, terminal: Terminal, done: Done): void {
  const automations = program.command('automations').description('Automations as files.')
  automations
    .command('test <directory>')
    .description('Run the tests (*.test.yml) of the automations of a directory; exit code 1 where one fails.')
    .option('--workspace <id>', 'on a platform, with what else this workspace has; without it here, alone')
    .option('--url <url>', 'the API of the platform, for example https://api.example.com/v2')
    .option('--junit <file>', 'write the results for CI')
    .option('--coverage <file>', 'write which instructions were come to, in the format of lcov')
    .action(async (directory: string, options) => done(await testDirectory(terminal, directory, options)))
}

/** commander writes "error: unknown command 'x'"; ours are sentences. */
function sentence(text: string): string {
  const said = text.trim().replace(/^error: /, '')
  if (said === text.trim()) return said
  return `${said.charAt(0).toUpperCase()}${said.slice(1).replace(/\.$/, '')}.`
}
