import { createInterface } from 'node:readline/promises'
import { ops } from './ops.ts'

process.exitCode = await ops(process.argv.slice(2), {
  env: process.env,
  print: (text) => void process.stdout.write(`${text}\n`),
  complain: (text) => void process.stderr.write(`${text}\n`),
  ...(process.stdin.isTTY === true ? { confirm: confirmOnTerminal } : {}),
  hasColours: process.stdout.isTTY === true && (process.env.NO_COLOR ?? '') === '',
})

/** Asks on the terminal; only "y" and "yes" are a yes; the end of the input is none. */
async function confirmOnTerminal(question: string): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  const closed = new Promise<string>((resolve) => terminal.once('close', () => resolve('')))
  try {
    const answer = await Promise.race([terminal.question(`${question} [y/N] `), closed])
    return /^y(es)?$/i.test(answer.trim())
  } finally {
    terminal.close()
  }
}
