/** Something a person can mend: its message is the one sentence they are shown, without a stack. */
export class Problem extends Error {
  name = 'Problem'
}

/** Somebody asked to stop; the script ends with this code. */
export class Stopped extends Error {
  name = 'Stopped'

  constructor(code) {
    super('Stopped.')
    this.code = code
  }
}

/** Runs a script's main function; what it answers or throws becomes the exit code. */
export async function runScript(main) {
  // A reader that has gone away (npm start | head -1) is no reason to fail.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
  try {
    process.exitCode = await main()
  } catch (error) {
    process.exitCode = outcomeOf(error)
  }
}

function outcomeOf(error) {
  if (error instanceof Stopped) return error.code
  if (!(error instanceof Problem)) throw error
  console.error(error.message)
  return 1
}
