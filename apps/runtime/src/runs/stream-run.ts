import type { ServerResponse } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { streamRun as endpoint } from '@platform/contracts'
import { respond, route } from '@platform/http'
import { type Clock, Failure, isUuid } from '@platform/kernel'
import type { Logger } from '@platform/logging'
import type { Inspections } from '../inspection/inspect-run.ts'
import type { RunStreams } from '../inspection/run-streams.ts'
import type { JournalStore } from './journal-store.ts'
import { describedRun, runNotFound } from './run-record.ts'
import type { KeptRun, RunRecordStore } from './run-record-store.ts'

interface Deps {
  readonly records: Pick<RunRecordStore, 'find'>
  readonly journals: Pick<JournalStore, 'lastSegment'>
  readonly inspections: Pick<Inspections, 'follow'>
  readonly streams: RunStreams
  readonly clock: Clock
  readonly log: Pick<Logger, 'warn'>
}

/** How often it is looked whether there is more of a run. */
const LOOK_MS = 300
/** A sign of life for proxies, while nothing happens. */
const SILENCE_MS = 15_000
/** Steps that are sent of one segment; what is more of it is read from the run. */
const MOST_STEPS = 1000

export const streamRun = (deps: Deps) =>
  route(endpoint, {
    async handle({ params: { runId }, query, request, admitted: { workspace } }) {
      const from = positionOf(request.headers['last-event-id'] ?? query.lastEventId)
      const record = isUuid(runId) ? await deps.records.find(workspace.id, runId) : undefined
      if (record === undefined) throw runNotFound()

      const place = deps.streams.enter(workspace.id)
      return respond(undefined, {
        contentType: 'text/event-stream; charset=utf-8',
        headers: { 'cache-control': 'no-cache', 'x-accel-buffering': 'no' },
        stream(response) {
          response.once('close', place.leave)
          const stream = new RunStream(deps, { workspaceId: workspace.id, runId }, response, place.signal)
          stream
            .run(from)
            .catch((err: unknown) => {
              // The client comes back, and goes on where this ended.
              if (!place.signal.aborted) deps.log.warn({ err, runId }, 'a stream of a run was cut')
            })
            .finally(() => response.end())
        },
      })
    },
  })

/** How far a client has heard of a run: a segment of the journal of one of its tries. */
interface Position {
  readonly try: number
  readonly segment: number
}

function positionOf(id: string | string[] | undefined): Position | undefined {
  if (id === undefined || id === '') return undefined
  const [, tries, segment] = /^(\d{1,5})-(\d{1,9})$/.exec(String(id)) ?? []
  if (tries !== undefined && segment !== undefined) return { try: Number(tries), segment: Number(segment) }
  throw new Failure('RequestValidationError', 'Last-Event-ID must be the id of an event of this stream.')
}

/** One client that follows one run. */
class RunStream {
  readonly #deps: Deps
  readonly #workspaceId: string
  readonly #runId: string
  readonly #response: ServerResponse
  readonly #signal: AbortSignal
  #sentMs = performance.now()
  /** How far the client has heard of it, and how many steps that were. */
  #position: Position | undefined
  #steps = 0
  #shown = ''

  constructor(
    deps: Deps,
    ids: { workspaceId: string; runId: string },
    response: ServerResponse,
    signal: AbortSignal,
  ) {
    this.#deps = deps
    this.#workspaceId = ids.workspaceId
    this.#runId = ids.runId
    this.#response = response
    this.#signal = signal
  }

  /** Until the run has ended, as its record says. */
  async run(from: Position | undefined): Promise<void> {
    this.#response.write('retry: 1000\n\n')
    for (;;) {
      const record = await this.#deps.records.find(this.#workspaceId, this.#runId)
      if (record === undefined) return
      if (this.#position?.try !== record.try) await this.#beginTry(record, from)
      this.#showStatus(record)
      await this.#showSteps(record)
      if (record.finishedAt !== null) {
        this.#send('end', this.#described(record), this.#position)
        return
      }
      await this.#wait()
    }
  }

  /** Steps that the client has heard of already are not sent again. */
  async #beginTry(record: KeptRun, from: Position | undefined): Promise<void> {
    this.#position = { try: record.try, segment: -1 }
    this.#steps = 0
    if (from?.try !== record.try) return
    const order = { skip: Number.POSITIVE_INFINITY, most: 0, signal: this.#signal, upTo: from.segment }
    const { ended } = await this.#deps.inspections.follow(this.#workspaceId, record, order)
    this.#steps = Number.isFinite(ended) ? ended : 0
    this.#position = from
  }

  #showStatus(record: KeptRun): void {
    const status = `${record.status} ${record.try}`
    const isEnd = record.finishedAt !== null && this.#shown !== ''
    if (status === this.#shown || isEnd) return
    this.#shown = status
    this.#send('run', this.#described(record))
  }

  async #showSteps(record: KeptRun): Promise<void> {
    const before = this.#position?.segment ?? -1
    const last = (await this.#deps.journals.lastSegment(record.id, record.try)) ?? -1
    if (last <= before && record.finishedAt === null) return
    const { steps, ended } = await this.#deps.inspections.follow(this.#workspaceId, record, {
      skip: this.#steps,
      most: MOST_STEPS,
      signal: this.#signal,
      // What was written meanwhile is of the next look: the id that is sent says how far the steps before it go.
      ...(record.finishedAt === null ? { upTo: last } : {}),
    })
    this.#position = { try: record.try, segment: Math.max(last, before) }
    this.#steps = ended
    const id = steps.at(-1)
    for (const step of steps) this.#send('step', step, step === id ? this.#position : undefined)
  }

  #described(record: KeptRun) {
    return describedRun(record, this.#deps.clock.now())
  }

  #send(event: string, data: unknown, { try: tries, segment }: Partial<Position> = {}): void {
    const id = segment === undefined || segment < 0 ? '' : `id: ${tries}-${segment}\n`
    this.#response.write(`${id}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`)
    this.#sentMs = performance.now()
  }

  /** Who does not take what is sent is waited for, so that little of it is held here. */
  async #wait(): Promise<void> {
    do await pause(LOOK_MS, undefined, { signal: this.#signal })
    while (this.#response.writableNeedDrain)
    if (performance.now() - this.#sentMs < SILENCE_MS) return
    this.#response.write(': \n\n')
    this.#sentMs = performance.now()
  }
}
