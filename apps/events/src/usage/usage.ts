import type { DocumentGroup, Grouping } from '@platform/search'

const RUN = 'runtime.automations.executed'
const REPORT = 'usage'
/** Runs that something outside started; a run that another one called is part of it. */
const outside: ReadonlySet<string> = new Set(['endpoint', 'event', 'schedule'])
const VISITOR_MAX_LENGTH = 200
const NAME_MAX_LENGTH = 200
/**
 * No figure is larger; sums of larger ones would overflow, and what the store refuses stops the counting of all
 * workspaces.
 */
const VALUE_MAX = 1e15
/** Reported by no app: the workspace's own. */
const NO_APP = 'workspace'

export interface Transactions {
  workspaceId: string
  day: string
  kind: string
  count: number
}

export interface Visitor {
  workspaceId: string
  day: string
  kind: 'session' | 'user'
  visitor: string
}

/** A figure on a day: what it was set to last (null: never), and what was added since. */
export interface MetricOfDay {
  workspaceId: string
  day: string
  app: string
  instance: string
  metric: string
  base: number | null
  added: number
}

/** What some events add to the usage. */
export interface Tally {
  transactions: Transactions[]
  visitors: Visitor[]
  metrics: MetricOfDay[]
}

type Loose = Record<string, unknown>
type AlikeEvents = Pick<DocumentGroup, 'count' | 'document'>

const recordOf = (value: unknown): Loose =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Loose) : {}
/** Cut, and without what no store takes: the cut may leave half of a character. */
const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== ''
    ? value.slice(0, NAME_MAX_LENGTH).toWellFormed().replaceAll('\0', '\uFFFD')
    : undefined
const isFigure = (value: unknown): value is number =>
  typeof value === 'number' && Number.isFinite(value) && Math.abs(value) <= VALUE_MAX

/** What is read of events to count them. */
export const COUNTED: Grouping = {
  types: [RUN, REPORT],
  fields: [
    { path: ['type'] },
    // The day.
    { path: ['createdAt'], cutTo: 10 },
    { path: ['source', 'workspaceId'] },
    { path: ['source', 'userId'] },
    { path: ['source', 'sessionId'] },
    { path: ['source', 'appSlug'] },
    { path: ['source', 'appInstanceFullSlug'] },
    { path: ['source', 'host', 'service'] },
    { path: ['payload', 'trigger', 'type'] },
    // What sets a figure and what adds to it is taken in the order in which it was reported.
    { path: ['payload', 'metrics'], isAlone: true },
  ],
}

/** Counts events of the log, in their order. What isn't shaped as the platform shapes it counts nothing. */
export function tally(groups: readonly AlikeEvents[]): Tally {
  const transactions = new Map<string, Transactions>()
  const visitors = new Map<string, Visitor>()
  const metrics = new Map<string, MetricOfDay>()
  for (const { count, document } of groups) {
    const source = recordOf(document.source)
    const workspaceId = textOf(source.workspaceId)
    const day = typeof document.createdAt === 'string' ? document.createdAt.slice(0, 10) : ''
    if (workspaceId === undefined || !/^\d{4}-\d\d-\d\d$/.test(day)) continue
    const workspaceDay = { workspaceId, day }
    if (document.type === RUN) addRuns({ transactions, visitors }, workspaceDay, { count, document })
    if (document.type === REPORT) addMetrics(metrics, workspaceDay, document)
  }
  return {
    transactions: [...transactions.values()],
    visitors: [...visitors.values()],
    metrics: [...metrics.values()],
  }
}

interface WorkspaceDay {
  workspaceId: string
  day: string
}

function addRuns(
  { transactions, visitors }: { transactions: Map<string, Transactions>; visitors: Map<string, Visitor> },
  workspaceDay: WorkspaceDay,
  { count, document }: AlikeEvents,
): void {
  const kind = recordOf(recordOf(document.payload).trigger).type
  if (typeof kind !== 'string' || !outside.has(kind)) return
  const key = JSON.stringify([workspaceDay, kind])
  const known = transactions.get(key)
  if (known === undefined) transactions.set(key, { ...workspaceDay, kind, count })
  else known.count += count
  const { sessionId, userId } = recordOf(document.source)
  for (const [name, value] of [
    ['session', sessionId],
    ['user', userId],
  ] as const) {
    const visitor = textOf(value)?.slice(0, VISITOR_MAX_LENGTH)
    if (visitor !== undefined)
      visitors.set(JSON.stringify([workspaceDay, name, visitor]), { ...workspaceDay, kind: name, visitor })
  }
}

function addMetrics(metrics: Map<string, MetricOfDay>, workspaceDay: WorkspaceDay, document: Loose): void {
  const source = recordOf(document.source)
  // This service itself emits what it has counted already (see record-events.ts).
  if (recordOf(source.host).service === 'events') return
  const app = textOf(source.appSlug) ?? NO_APP
  const instance = textOf(source.appInstanceFullSlug) ?? app
  for (const [name, reported] of Object.entries(recordOf(recordOf(document.payload).metrics))) {
    const { value, action } = recordOf(reported)
    const metric = textOf(name)
    if (metric === undefined || !isFigure(value)) continue
    const key = JSON.stringify([workspaceDay, app, instance, metric])
    const known = metrics.get(key) ?? { ...workspaceDay, app, instance, metric, base: null, added: 0 }
    metrics.set(
      key,
      action === 'set' ? { ...known, base: value, added: 0 } : { ...known, added: known.added + value },
    )
  }
}

/** A figure over days in their order: what was set replaces, what was added is added. */
export const figureOf = (days: readonly Pick<MetricOfDay, 'base' | 'added'>[]): number =>
  days.reduce((figure, { base, added }) => (base ?? figure) + added, 0)
