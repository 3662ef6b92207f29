import { pause } from './pause.ts'

/** Before that a client that connects behind could not say why it has not. */
const FIRST_MS = 400
const EVERY_MS = 1000
/** Every driver gives up before this; a sentence about a silent store shall be told within three seconds. */
const PROBE_MS = 2400

/**
 * Asks a store that was opened until it has answered once, and tells each failure. Most clients connect behind and
 * say nothing.
 */
export function watchStore(
  probe: (signal: AbortSignal) => Promise<unknown>,
  tell: (error: unknown) => void,
): Disposable {
  const closing = new AbortController()
  void untilAnswered(probe, tell, closing.signal)
  return { [Symbol.dispose]: () => closing.abort() }
}

async function untilAnswered(
  probe: (signal: AbortSignal) => Promise<unknown>,
  tell: (error: unknown) => void,
  signal: AbortSignal,
): Promise<void> {
  for (let waitMs = FIRST_MS; !signal.aborted; waitMs = EVERY_MS) {
    await pause(waitMs, signal, { background: true })
    if (signal.aborted) return
    try {
      await probe(AbortSignal.any([signal, AbortSignal.timeout(PROBE_MS)]))
      return
    } catch (error) {
      if (!signal.aborted) tell(error)
    }
  }
}
