import type { Command } from 'commander'
import type { Terminal } from '../terminal.ts'
import { testDirectory } from './test-directory.ts'

/** `ops automations …`; `done` gets the exit code. */
export function addAutomations(program: Command, terminal: Terminal, done: (code: number) => void): void {
  const automations = program.command('automations').description('Automations as files.')
  automations
    .command('test <directory>')
    .description(
      'Run the tests (*.test.yml) of the automations of a directory, here or on a platform; exit code 1 where one fails.',
    )
    .option(
      '--workspace <id>',
      'on the platform, with what else that workspace has; else here, without any server',
    )
    .option('--url <url>', 'the API of the platform, for example https://api.example.com/v2')
    .option('--junit <file>', 'write the results for CI')
    .option('--coverage <file>', 'write which instructions were come to, in the format of lcov')
    .action(async (directory: string, options) => done(await testDirectory(terminal, directory, options)))
}
