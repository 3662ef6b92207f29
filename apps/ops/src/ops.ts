import { Command, CommanderError } from 'commander'
import { resetPassword } from './admin/reset-password.ts'
import { printConfig } from './config/print.ts'
import { showReadiness } from './readiness/show.ts'
import { OpsProblem, type Terminal } from './terminal.ts'

/** Runs one command; answers the exit code. Whatever fails is told as a sentence. */
export async function ops(args: readonly string[], terminal: Terminal): Promise<number> {
  let code = 0
  const program = commands(terminal, (outcome) => {
    code = outcome
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

function commands(terminal: Terminal, done: (code: number) => void): Command {
  const program = new Command('ops')
    .description('What an operator of the platform types.')
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

  const config = program.command('config').description('Configuration.')
  config
    .command('print')
    .description('Show every variable, its value and where it comes from; secrets stay hidden.')
    .action(async () => done(await printConfig(terminal)))
  return program
}

/** commander writes "error: unknown command 'x'"; ours are sentences. */
function sentence(text: string): string {
  const said = text.trim().replace(/^error: /, '')
  if (said === text.trim()) return said
  return `${said.charAt(0).toUpperCase()}${said.slice(1).replace(/\.$/, '')}.`
}
