import { Failure, MINUTE_MS, SECOND_MS } from '@platform/kernel'
import type { Death } from '@platform/service/processes'
import { readMark } from '../automations/run-marker.ts'

const FIRST_MS = 10 * SECOND_MS
const LONGEST_MS = 10 * MINUTE_MS

/** An automation that has ended a process; that text of it is not executed among others for a while. */
export interface Refusal {
  readonly workspaceId: string
  readonly automationSlug: string
  readonly checksum: string | undefined
  readonly pauseMs: number
  /** Unix milliseconds. */
  readonly until: number
}

type Automation = { readonly slug: string; readonly checksum?: string | undefined }

const isOf = (refusal: Refusal, workspaceId: string, { slug, checksum }: Automation): boolean =>
  refusal.workspaceId === workspaceId && refusal.automationSlug === slug && refusal.checksum === checksum

/**
 * For the process that watches: what the others are told after each death. That somebody has killed a process is no
 * run's fault.
 */
export function refusals(now: () => number = Date.now): (death: Death) => readonly Refusal[] {
  let list: Refusal[] = []
  return ({ cause, marker }) => {
    const mark = readMark(marker)
    list = list.filter(({ until }) => until + LONGEST_MS > now())
    if (mark === undefined || cause === 'killed') return list
    const automation = { slug: mark.automationSlug, checksum: mark.checksum }
    const before = list.find((one) => isOf(one, mark.workspaceId, automation))
    const pauseMs = before === undefined ? FIRST_MS : Math.min(LONGEST_MS, before.pauseMs * 2)
    const { workspaceId, automationSlug, checksum } = mark
    const next = { workspaceId, automationSlug, checksum, pauseMs, until: now() + pauseMs }
    list = [...list.filter((one) => one !== before), next]
    return list
  }
}

/** For a process that executes: which automations it does not, for how long. */
export class RefusedAutomations {
  #list: readonly Refusal[] = []

  learn(news: unknown): void {
    if (Array.isArray(news)) this.#list = news as readonly Refusal[]
  }

  find(workspaceId: string, automation: Automation): Refusal | undefined {
    if (this.#list.length === 0) return undefined
    const found = this.#list.find((one) => isOf(one, workspaceId, automation))
    return found === undefined || found.until <= Date.now() ? undefined : found
  }

  /** Throws 503 for a call of one of them. */
  require(workspaceId: string, automation: Automation): void {
    const refusal = this.find(workspaceId, automation)
    if (refusal === undefined) return
    const seconds = Math.ceil((refusal.until - Date.now()) / SECOND_MS)
    const message =
      `The automation "${automation.slug}" has ended the process that executed it, and is not executed for ` +
      `${seconds} s: let it do less, and save it; what is saved anew is executed at once.`
    throw new Failure('ServiceUnavailable', message, { retryAfterSeconds: seconds })
  }
}
