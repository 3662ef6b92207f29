// With --json the standard output belongs to the numbers.
export const output = process.argv.includes('--json') ? process.stderr : process.stdout

export const say = (line) => output.write(`${line}\n`)
