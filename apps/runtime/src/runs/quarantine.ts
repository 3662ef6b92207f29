import type { Logger } from '@platform/logging'
import type { EventLimits } from '@platform/outbox'
import type { Job } from '@platform/service'
import type { Contained, Death } from '@platform/service/processes'
import { RunMarker, readMark } from '../automations/run-marker.ts'
import type { Definitions } from '../definitions/definitions.ts'
import { RefusedAutomations } from '../processes/refused-automations.ts'
import { endsProcesses } from './dead-letter.ts'
import type { ClaimedRun, ClaimedWork } from './run.ts'
import type { RunChangeStore } from './run-change-store.ts'
import type { Commits, RunStore } from './run-store.ts'
import type { SuspectStore, Verdict } from './suspect-store.ts'
import { MAX_CRASHES, type Suspects } from './work-on-run.ts'
import type { WorkQueue } from './work-queue.ts'

/*
 * A process that died held runs. The one that takes its place, or another that lives, gives them back to the queue, but
 * sets aside the one whose turn it was, or each where that is not known. A process started for it does those one at a
 * time. Who ends that process, too, has failed: it is not tried again.
 */

interface Deps {
  readonly self: Contained
  readonly suspects: SuspectStore
  readonly commits: Commits
  readonly changes: Pick<RunChangeStore, 'cancelAwaited'>
  /** Where the instruction stands that ended a process. */
  readonly definitions: Pick<Definitions, 'find'>
  readonly limits: EventLimits
  readonly wakeWorkers: () => void
  readonly log: Pick<Logger, 'error'>
}

/** The name of this process, known to who watches it. */
export const nameOf = (containment: Containment | undefined, name: string): string =>
  containment?.name(name) ?? name

/** What a service needs of the process it runs in, which may be one that may die. */
export interface OpenedContainment {
  readonly refused: RefusedAutomations
  readonly containment: Containment | undefined
  readonly marker: RunMarker | undefined
}

export function openContainment(self: Contained | undefined): OpenedContainment {
  const refused = new RefusedAutomations()
  if (self === undefined) return { refused, containment: undefined, marker: undefined }
  refused.learn(self.news)
  self.onNews((news) => refused.learn(news))
  const marker = new RunMarker(
    (text) => self.box.mark(text),
    () => self.box.beatAgain(performance.now()),
  )
  return { refused, containment: containmentOf(self, refused), marker }
}

/** An id that no run has: nobody is suspected. */
const NOBODY = '00000000-0000-0000-0000-000000000000'

/** Tells what became of the processes beside this one, and what it does about it. */
function settleDeaths(deps: Deps): void {
  const { self, log } = deps
  self.onDeath((death) => {
    // A store that is away lets the leases run out: others take the runs over, as those of any process.
    settle(deps, death).catch((err: unknown) =>
      log.error({ err }, 'the runs of a dead process were not settled'),
    )
  })
}

async function settle(deps: Deps, death: Death): Promise<void> {
  const { self, suspects, wakeWorkers } = deps
  const workers = death.name.split(' ').filter((name) => name !== '')
  if (workers.length === 0) return
  await suspects.settle(
    workers,
    death.role === 'serving' ? ofServing(death) : await ofApart(deps, workers, death),
  )
  if (await suspects.isAnyAside()) self.foundSuspects()
  wakeWorkers()
}

/**
 * A process that hangs says whose turn it was; one that was filled may have been so by any run. What others have killed
 * died of no run: its runs go on at once, and the count of their deaths still ends at some time.
 */
const ofServing = ({ cause, marker }: Death): Verdict => ({
  suspect: cause === 'silent' ? (readMark(marker)?.runId ?? null) : null,
  suspects: cause === 'killed' ? 'queued' : 'set aside',
  others: 'queued',
})

async function ofApart(deps: Deps, workers: readonly string[], death: Death): Promise<Verdict> {
  const { suspects, commits, changes } = deps
  const mark = readMark(death.marker)
  const run = mark === undefined ? undefined : await suspects.findHeld(workers, mark.runId)
  if (run !== undefined && run.crashCount > 0 && death.cause !== 'killed') {
    await commits.writeClaimed(await conviction(deps, run, death))
    await changes.cancelAwaited(run.id)
  }
  return { suspect: mark?.runId ?? NOBODY, suspects: 'set aside', others: 'set aside' }
}

async function conviction(
  { definitions, limits }: Deps,
  run: ClaimedRun,
  { seen, marker }: Death,
): Promise<ClaimedWork> {
  const { id, attempt, automationSlug, workspaceId, revision } = run
  const place = readMark(marker)?.place ?? { automationSlug, instruction: 'do' }
  // That it can't be said now must not keep the run from its end.
  const workspace = await definitions.find(workspaceId, revision).catch(() => undefined)
  const line = await workspace?.placeOf(place.automationSlug, place.instruction).catch(() => undefined)
  return { claim: { id, attempt }, ...endsProcesses(run, seen, { ...place, ...line }, limits) }
}

/** A process has another name before its presence is known, and may still hold runs by it. */
const NAMES = 2

/** What a process that may die does with runs. */
export interface Containment {
  /** It does only what was set aside. */
  readonly isApart: boolean
  /** Others find out by this name what it held. */
  name(name: string): string
  /** Runs that many processes ended over, or whose automations have ended one, are set aside before they begin. */
  suspects(store: Pick<SuspectStore, 'setAside'>): Suspects
  settle(deps: Omit<Deps, 'self'>): void
}

function containmentOf(self: Contained, refused: RefusedAutomations): Containment {
  const isApart = self.role !== 'serving'
  const names: string[] = []
  return {
    isApart,
    name(name) {
      if (name === names[0]) return name
      names.unshift(name)
      self.box.name(names.slice(0, NAMES).join(' '))
      return name
    },
    suspects: (store) => suspectsOf({ isApart, refused, store, onFound: () => self.foundSuspects() }),
    settle: (deps) => settleDeaths({ ...deps, self }),
  }
}

interface SuspectNeeds {
  readonly isApart: boolean
  readonly refused: Pick<RefusedAutomations, 'find'>
  readonly store: Pick<SuspectStore, 'setAside'>
  readonly onFound: () => void
}

/** Which runs a process that may die does not do among others. */
export const suspectsOf = ({ isApart, refused, store, onFound }: SuspectNeeds): Suspects => ({
  isToBeAlone: ({ crashCount, workspaceId }, automation) =>
    !isApart && (crashCount >= MAX_CRASHES || refused.find(workspaceId, automation) !== undefined),
  async setAside(claim) {
    await store.setAside(claim)
    onFound()
  },
})

/** What a queue of this process claims from, and how much at once; and what it does not do. */
export function containedQueue(
  containment: Containment | undefined,
  { runs, suspects, concurrency }: { runs: RunStore; suspects: SuspectStore; concurrency: number },
) {
  if (containment === undefined) return { runs, concurrency }
  if (containment.isApart) return { runs: setAsideRuns(runs, suspects), concurrency: 1 }
  return { runs, concurrency }
}

const setAsideRuns = (
  runs: RunStore,
  suspects: SuspectStore,
): Pick<
  RunStore,
  'claimQueued' | 'claimOne' | 'claimWoken' | 'claimAbandoned' | 'extendLeases' | 'listNews' | 'release'
> => ({
  ...runs,
  claimQueued: (worker, leaseSeconds) => suspects.claim(worker, leaseSeconds),
  claimWoken: async () => [],
  claimAbandoned: async () => [],
})

const LOOK_MS = 500
const IDLE_LOOKS = 4

/** Ends the process when nothing was set aside for two seconds. */
export function leaveWhenIdle(queue: Pick<WorkQueue, 'isIdle'>): Job {
  let idle = 0
  return {
    name: 'leave-quarantine',
    everyMs: LOOK_MS,
    async run() {
      idle = queue.isIdle ? idle + 1 : 0
      if (idle === IDLE_LOOKS) process.kill(process.pid, 'SIGTERM')
    },
  }
}
