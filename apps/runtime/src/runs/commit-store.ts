import { groupCommit } from '@platform/database'
import type { Effects } from '../automations/effect-buffer.ts'
import type { ClaimedWork, FinishedRun } from './run.ts'
import type { RunStore } from './run-store.ts'

/** Writes the work of many runs in few transactions; each promise resolves when its part is committed. */
export interface Commits {
  writeFinished(run: FinishedRun): Promise<void>
  writeEffects(effects: Effects): Promise<void>
  /** False when somebody else has claimed the run: then nothing was written. */
  writeClaimed(work: ClaimedWork): Promise<boolean>
}

export function commitStore(store: RunStore): Commits {
  const finished = groupCommit<FinishedRun>(async (runs) => void (await store.insertFinished(runs)), {
    maxItems: 200,
  })
  const effects = groupCommit<Effects>(async (all) => void (await store.insertEffects(all)), {
    maxItems: 100,
  })
  const claimed = groupCommit<{ work: ClaimedWork; counted: boolean }>(
    async (items) => {
      const counted = new Set(await store.writeClaimed(items.map(({ work }) => work)))
      for (const item of items) item.counted = counted.has(item.work)
    },
    { maxItems: 100 },
  )
  return {
    writeFinished: (run) => finished.add(run),
    writeEffects: (one) => effects.add(one),
    async writeClaimed(work) {
      const item = { work, counted: false }
      await claimed.add(item)
      return item.counted
    },
  }
}
