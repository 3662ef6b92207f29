import { confirmOnTerminal } from './confirm.ts'
import { ops } from './ops.ts'

process.exitCode = await ops(process.argv.slice(2), {
  env: process.env,
  print: (text) => void process.stdout.write(`${text}\n`),
  complain: (text) => void process.stderr.write(`${text}\n`),
  ...(process.stdin.isTTY === true ? { confirm: confirmOnTerminal } : {}),
  hasColours: process.stdout.isTTY === true && (process.env.NO_COLOR ?? '') === '',
})
