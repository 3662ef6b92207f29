import { StoreBudget, storeBudget, withStoreBudget } from '@platform/kernel'
import { DatabaseError } from './database-error.ts'

/** Writes what many callers add, in as few transactions as possible. */
export interface GroupCommit<Item> {
  /** Resolves when the item is committed; rejects when it is not. */
  add(item: Item): Promise<void>
}

export interface GroupOptions<Item> {
  maxItems?: number
  /** Transactions on their way at once, where the first takes long. */
  maxInFlight?: number
  maxWaiting?: number
  /** Characters of an item, about; without it items have no size. */
  sizeOf?: (item: Item) => number
  maxSize?: number
}

const MAX_SIZE = 250_000
/**
 * A transaction that takes longer is waiting for something, and others need not wait with it; a busy process takes tens
 * of milliseconds to hear of its end.
 */
const LONG_MS = 100

interface Waiting<Item> {
  item: Item
  /** How long the request that added it may still wait; undefined where no request waits. */
  budget: StoreBudget | undefined
  resolve: () => void
  reject: (error: unknown) => void
}

/**
 * Group commit: while one transaction is on its way, items gather for the next, which begins when that one ends or
 * takes long; an idle writer starts at once. Two that are on their way at once would be twice as many transactions.
 * `write` commits all of its items or none. When it fails for a reason of the data, items are written one by one so
 * that one bad item doesn't harm the others. Items beyond `maxWaiting` are refused at once, because a queue without an
 * end only makes all of them late. So are items whose request has waited as long as it may. Where items have a size, a
 * transaction has a `maxSize` of it at most, or one item: putting much into a statement keeps the process busy.
 */
export function groupCommit<Item>(
  write: (items: Item[]) => Promise<void>,
  options: GroupOptions<Item> = {},
): GroupCommit<Item> {
  const { maxItems = 500, maxInFlight = 2, maxWaiting = 20_000 } = options
  const { sizeOf = () => 0, maxSize = MAX_SIZE } = options
  const fitting = (): number => {
    let size = 0
    const over = waiting.slice(0, maxItems).findIndex(({ item }) => {
      size += sizeOf(item)
      return size > maxSize
    })
    return over === -1 ? maxItems : Math.max(1, over)
  }
  let waiting: Waiting<Item>[] = []
  let inFlight = 0
  /** Runs while the transaction that was begun last is waited for. */
  let patience: NodeJS.Timeout | undefined
  let scheduled = false

  const mayBegin = () => waiting.length > 0 && inFlight < maxInFlight && patience === undefined
  const waitNoMore = (own: NodeJS.Timeout) => {
    if (patience === own) patience = undefined
    schedule()
  }
  const flush = async () => {
    scheduled = false
    if (!mayBegin()) return
    const count = fitting()
    const batch = inTime(waiting.slice(0, count))
    waiting = waiting.slice(count)
    inFlight += 1
    const own = setTimeout(() => waitNoMore(own), LONG_MS)
    patience = own
    // The budgets of its own items bound a batch, not the budget of the request that happened to begin it.
    await withStoreBudget(new StoreBudget(leastOf(batch)), () => settle(batch, write))
    inFlight -= 1
    clearTimeout(own)
    waitNoMore(own)
  }
  const schedule = () => {
    if (scheduled || !mayBegin()) return
    scheduled = true
    setImmediate(flush)
  }
  return {
    add: (item) => {
      const budget = storeBudget()
      const added = new Promise<void>((resolve, reject) => {
        if (waiting.length >= maxWaiting) return reject(overloaded())
        waiting.push({ item, budget, resolve, reject })
        schedule()
      })
      return budget === undefined ? added : waitedFor(budget, added)
    },
  }
}

const overloaded = () =>
  new DatabaseError('Too many writes are waiting for the database.', { unavailable: true })

async function waitedFor(budget: StoreBudget, added: Promise<void>): Promise<void> {
  budget.beginWait()
  try {
    await added
  } finally {
    budget.endWait()
  }
}

/** What a commit needs at least: with less the request would end before the commit. */
const LEAST_MS = 250

/** Those that can still be committed in time; the others are refused. */
function inTime<Item>(batch: Waiting<Item>[]): Waiting<Item>[] {
  const isLate = ({ budget }: Waiting<Item>) => budget !== undefined && budget.leftMs < LEAST_MS
  if (!batch.some(isLate)) return batch
  for (const { reject } of batch.filter(isLate)) reject(late())
  return batch.filter((one) => !isLate(one))
}

const late = () =>
  new DatabaseError('The write has waited for the database as long as it may.', { unavailable: true })

const leastOf = <Item>(batch: Waiting<Item>[]): number =>
  batch.reduce((least, { budget }) => Math.min(least, budget?.leftMs ?? least), Number.POSITIVE_INFINITY)

async function settle<Item>(batch: Waiting<Item>[], write: (items: Item[]) => Promise<void>): Promise<void> {
  if (batch.length === 0) return
  try {
    await write(batch.map(({ item }) => item))
    for (const { resolve } of batch) resolve()
  } catch (error) {
    if (isFault(error) && batch.length > 1) await settleEach(batch, write)
    else for (const { reject } of batch) reject(error)
  }
}

/** A fault of the data, not of a database that does not answer. */
const isFault = (error: unknown): boolean => !(error instanceof DatabaseError && error.unavailable)

async function settleEach<Item>(
  batch: Waiting<Item>[],
  write: (items: Item[]) => Promise<void>,
): Promise<void> {
  for (const one of batch) await settle([one], write)
}
