import { setTimeout as wait } from 'node:timers/promises'

/** What is answered in the end; asks again where a busy platform refuses with 503, as its callers are told to. */
export async function untilAdmitted<T>(ask: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await ask()
    } catch (error) {
      if ((error as { status?: number }).status !== 503) throw error
      await wait(50)
    }
  }
}
