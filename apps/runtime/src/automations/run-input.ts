/** What started a run, as `run.trigger` and events show it. */
export interface Trigger {
  readonly type: 'event' | 'endpoint' | 'schedule' | 'automation'
  readonly value: string
  readonly id?: string
}

/** The person or session a run acts for; no one when all is undefined. */
export interface RunSubject {
  readonly userId?: string | undefined
  readonly sessionId?: string | undefined
  readonly email?: string | undefined
  readonly anonymous?: boolean | undefined
  readonly ip?: string | undefined
  /** The workspace whose run has called, where it is another one. */
  readonly sourceWorkspaceId?: string | undefined
  /** The workspace that calls for itself, and nobody whom it acts for. */
  readonly authenticatedWorkspaceId?: string | undefined
  /** The connection that an event came in on. */
  readonly socketId?: string | undefined
  /** True of a run made from another: whoever wanted it again can't call elsewhere in the name of its user. */
  readonly isAgain?: boolean | undefined
}

/** A run that waits for a worker. */
export interface QueuedRun {
  readonly id: string
  readonly workspaceId: string
  readonly automationSlug: string
  readonly trigger: Trigger
  readonly correlationId: string
  /** Of its automation, when it was queued; 0 without it. */
  readonly priority?: number
  readonly input: RunInput
}

/** What a worker needs to start a queued run. */
export interface RunInput {
  readonly payload: Readonly<Record<string, unknown>>
  /** The subject; the name is that of the stored JSON. */
  readonly caller: RunSubject
  /** Depth of what caused the run. */
  readonly depth: number
  /** Another run waits for what it answers. */
  readonly isAwaited?: boolean
}

/** Who is to become a member of which topic. */
export interface TopicOrder {
  readonly workspaceId: string
  readonly topic: string
  readonly userIds: readonly string[]
  /** A topic that is not there is made. */
  readonly creates: boolean
}

/** What has become of it. */
export interface JoinedTopic {
  readonly isNew: boolean
  /** Users that were no members before. */
  readonly joined: readonly string[]
}
