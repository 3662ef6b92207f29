import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/**
 * Collects all memory once, and gives back what is free. A start leaves a third of a process that is dead: what schemas
 * were made of, pages of young memory. V8 finds that only when it has to collect all of its memory, which a process
 * that has little to do does not come to for hours (docs/adr/0092). Takes 100 to 170 ms, in which nothing else is done:
 * for a process that nobody sends anything yet, or one that does not turn requests away for such a pause.
 */
export function collectStart(): void {
  setFlagsFromString('--expose-gc')
  const collect: unknown = runInNewContext('gc')
  setFlagsFromString('--no-expose-gc')
  if (typeof collect === 'function') collect({ type: 'major', flavor: 'last-resort' })
}
