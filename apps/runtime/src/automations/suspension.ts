import { Failure } from '@platform/kernel'
import { RunEnded } from './automation-failure.ts'
import type { RunJournal } from './run-journal.ts'

/** What nothing of a workspace answers that an operator has suspended. */
export const workspaceSuspended = (reason: string): Failure =>
  new Failure('SuspendedWorkspaceError', `The workspace is suspended: ${reason}`, { details: { reason } })

/** Throws SuspendedWorkspaceError where nothing of the workspace is executed now. */
export function requireActive({ suspendedFor }: { readonly suspendedFor?: string | undefined }): void {
  if (suspendedFor !== undefined) throw workspaceSuspended(suspendedFor)
}

/** That the workspace of a run is suspended: the run fails at its next step, and is retried from there. */
export class RunSuspension {
  readonly #journal: RunJournal | undefined
  #failure: Failure | undefined
  /** True once a step was not done because of it. */
  isHeeded = false

  constructor(failure: Failure | undefined, journal: RunJournal | undefined) {
    this.#failure = failure
    this.#journal = journal
  }

  begin(failure: Failure): void {
    this.#failure ??= failure
  }

  get isPending(): boolean {
    return this.#failure !== undefined
  }

  /** Throws RunEnded where the workspace is suspended; what was done before is done again first. */
  check(): void {
    if (this.#failure === undefined || this.#journal?.isReplaying === true) return
    if (!this.isHeeded) this.#journal?.noticeSuspended()
    this.isHeeded = true
    throw new RunEnded(this.#failure)
  }
}
