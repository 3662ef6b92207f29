import type { Figure } from '../measure/figure.ts'
import { type Asked, FEW, type Load } from './loads.ts'
import { type holding, POSTGRES, type Used } from './usage.ts'

/** All that was measured with so many processes of each service. */
export interface Costs {
  count: number
  /** Just started. */
  fresh: ReturnType<typeof holding>
  loaded: ReturnType<typeof holding>
  /** While nobody asks for anything. */
  rest: Used
  asked: { load: Load; calm: Asked; busy: Asked }[]
}

/**
 * How much dearer a thing may be with more of each, as a factor. A goal only: on few cores the processes share what
 * group commits save.
 */
const DEARER = 1.5
const MB = 1024 * 1024

/** What processes cost that do nothing, and what they hold. */
export function restFigures(costs: Costs, one: Costs): Figure[] {
  const { count, fresh, loaded, rest } = costs
  const named = (what: string) => `scaling ${count}: ${what}`
  const figures: Figure[] = []
  for (const [service, { megabytes, connections }] of loaded) {
    const isPostgres = service === POSTGRES
    figures.push(
      {
        name: named(`at rest, CPU of ${isPostgres ? '' : 'one '}${service}`),
        ...compared((from) => idleOf(from, service), costs, one),
        unit: 's/minute',
      },
      { name: named(`just started, ${service}`), value: fresh.get(service)?.megabytes ?? 0, unit: 'MB PSS' },
      { name: named(`after load, ${service}`), value: megabytes, unit: 'MB PSS' },
      { name: named(`after load, ${service}`), value: connections, unit: 'connections' },
    )
  }
  const commits = ({ rest: used }: Costs) => used.database.commits / used.seconds
  figures.push({
    name: named('at rest, transactions'),
    ...compared(commits, costs, one),
    unit: '/s',
  })
  const wal = rest.database.walBytes / rest.seconds / 1024
  figures.push({ name: named('at rest, WAL'), value: wal, unit: 'KB/s' })
  return figures
}

/** What a thousand of each costs, beside what the processes cost at rest. */
export function costFigures(costs: Costs, one: Costs): Figure[] {
  return costs.asked.flatMap(({ load, calm, busy }, index) => {
    const named = (what: string) => `scaling ${costs.count}: ${load.name}, ${what}`
    const cpu = (service: string, how: 'busy' | 'calm') => (from: Costs) => cpuOf(from, index, how, [service])
    const total = (how: 'busy' | 'calm') => (from: Costs) =>
      cpuOf(from, index, how, [...from.rest.services.keys()])
    const unit = 's CPU/1,000'
    const figures: Figure[] = [
      { name: named('rate'), value: busy.done / busy.seconds, unit: '/s' },
      { name: named(`rate with ${FEW} callers`), value: calm.done / calm.seconds, unit: '/s' },
      {
        name: named('CPU'),
        ...compared(total('busy'), costs, one),
        unit,
        ...(costs === one ? {} : { goal: DEARER }),
      },
      { name: named(`CPU with ${FEW} callers`), ...compared(total('calm'), costs, one), unit },
    ]
    for (const service of costs.rest.services.keys())
      for (const how of ['busy', 'calm'] as const)
        figures.push({
          name: named(`CPU of ${service}${how === 'calm' ? ` with ${FEW} callers` : ''}`),
          ...compared(cpu(service, how), costs, one),
          unit,
        })
    figures.push(...writtenFigures(busy, named))
    const [service, seconds] = busiest(busy)
    figures.push({
      name: named(`one process of ${service} fills a core at`),
      value: busy.done / seconds,
      unit: '/s',
    })
    return figures
  })
}

function writtenFigures(busy: Asked, named: (what: string) => string): Figure[] {
  const { database } = busy.used
  const perThousand = (bytes: number) => (bytes / MB / busy.done) * 1000
  const written = Object.entries(database.bytes).map(([schema, bytes]) => ({
    name: named(`bytes in ${schema}`),
    value: perThousand(bytes),
    unit: 'MB/1,000',
  }))
  return [
    { name: named('WAL'), value: perThousand(database.walBytes), unit: 'MB/1,000' },
    ...written,
    { name: named('transactions'), value: (database.commits / busy.done) * 1000, unit: '/1,000' },
    { name: named('readable after'), value: busy.behindSeconds, unit: 's' },
  ]
}

/** A value, and how it compares with one of each. */
function compared(
  read: (from: Costs) => number,
  costs: Costs,
  one: Costs,
): Pick<Figure, 'value' | 'against' | 'ratio'> {
  const value = read(costs)
  return costs === one ? { value } : { value, against: 'one of each', ratio: value / read(one) }
}

/** CPU seconds a minute of one process, of PostgreSQL as a whole. */
function idleOf({ rest, count }: Costs, service: string): number {
  const { cpuSeconds = 0 } = rest.services.get(service) ?? {}
  return (cpuSeconds / rest.seconds / (service === POSTGRES ? 1 : count)) * 60
}

function cpuOf(costs: Costs, index: number, how: 'busy' | 'calm', services: string[]): number {
  const asked = costs.asked[index]?.[how]
  if (asked === undefined) return Number.NaN
  const seconds = services.map((service) => {
    const { cpuSeconds = 0 } = asked.used.services.get(service) ?? {}
    const atRest = costs.rest.services.get(service)?.cpuSeconds ?? 0
    return cpuSeconds - (atRest / costs.rest.seconds) * asked.used.seconds
  })
  return (seconds.reduce((sum, value) => sum + value, 0) / asked.done) * 1000
}

/** The process that used most: with cores enough it is the first that has none left. */
function busiest({ used }: Asked): [service: string, seconds: number] {
  const processes = [...used.services].map(([service, { busiestSeconds }]): [string, number] => [
    service,
    busiestSeconds,
  ])
  return processes.reduce((most, next) => (next[1] > most[1] ? next : most))
}
