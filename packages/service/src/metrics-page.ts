import cluster from 'node:cluster'
import { mergePages, registry } from '@platform/http'
import type { ToFirst, ToWorker } from './worker-pages.ts'

/** Longest the first process is waited for; then a worker tells its own numbers alone. */
const ALL_MS = 2500

let round: Promise<string> | undefined

/**
 * The page of this process or, where several share its port, of all of them: the label `worker` tells whose a number
 * is.
 */
export function metricsPage(): Promise<string> {
  if (!cluster.isWorker) return registry.metrics()
  round ??= pageOfAll().finally(() => {
    round = undefined
  })
  return round
}

/** For one of several processes: tells its page when the first one collects them. */
export function tellMetrics(): void {
  process.on('message', (message: ToWorker) => {
    if (message.metrics !== 'tell') return
    registry.setDefaultLabels({ worker: message.worker })
    registry.metrics().then(
      (page) => send({ metrics: 'page', round: message.round, page }),
      () => undefined,
    )
  })
}

async function pageOfAll(): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string[]>()
  const take = (message: ToWorker) => {
    if (message.metrics === 'all') resolve(message.pages)
  }
  process.on('message', take)
  const timer = setTimeout(resolve, ALL_MS, [])
  try {
    send({ metrics: 'wanted' })
    const pages = await promise
    return pages.length === 0 ? await registry.metrics() : mergePages(pages)
  } finally {
    clearTimeout(timer)
    process.off('message', take)
  }
}

function send(message: ToFirst): void {
  if (process.connected) process.send?.(message, undefined, undefined, () => undefined)
}
