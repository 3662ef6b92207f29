import type { Cluster, ClusterObject } from './cluster.ts'

const STEP_MS = 200

/**
 * Does what nodes would tell of pods, because there are none: those of Jobs and tests have succeeded, others are ready.
 * Whether containers work is not shown by that; what controllers make of it is: rollouts, hooks, budgets.
 */
export class StandInNode implements AsyncDisposable {
  /** Pods of these components never come to anything. */
  readonly stuck = new Set<string>()
  /** Images that ran, by component. */
  readonly ran: { component: string; image: string }[] = []
  /** The fewest ready pods of a component at once, since it was set to Infinity. */
  readonly fewestReady = new Map<string, number>()
  readonly #cluster: Cluster
  readonly #namespace: string
  #isOver = false
  readonly #loop: Promise<void>

  constructor(cluster: Cluster, namespace: string) {
    this.#cluster = cluster
    this.#namespace = namespace
    this.#loop = this.#run()
  }

  async #run(): Promise<void> {
    while (!this.#isOver) {
      const pods = await this.#cluster.list(this.#path)
      await Promise.all(pods.map((pod) => this.#tell(pod)))
      this.#count(pods)
      await new Promise((resolve) => setTimeout(resolve, STEP_MS))
    }
  }

  get #path(): string {
    return `/api/v1/namespaces/${this.#namespace}/pods`
  }

  async #tell(pod: ClusterObject): Promise<void> {
    const component = componentOf(pod)
    if (pod.status.phase !== 'Pending' || this.stuck.has(component)) return
    this.ran.push({ component, image: pod.spec.containers[0].image })
    const ends = pod.spec.restartPolicy === 'Never'
    const at = new Date().toISOString()
    const condition = (type: string, status: string) => ({ type, status, lastTransitionTime: at })
    const names = ends
      ? [['PodScheduled', 'True']]
      : [
          ['PodScheduled', 'True'],
          ['ContainersReady', 'True'],
          ['Ready', 'True'],
        ]
    const conditions = names.map(([type = '', status = '']) => condition(type, status))
    const status = { phase: ends ? 'Succeeded' : 'Running', startTime: at, conditions }
    // It may be gone by now.
    await this.#cluster.patch(`${this.#path}/${pod.metadata.name}/status`, { status }).catch(() => undefined)
  }

  #count(pods: readonly ClusterObject[]): void {
    for (const [component, fewest] of this.fewestReady) {
      const ready = pods.filter((pod) => componentOf(pod) === component && isReady(pod)).length
      this.fewestReady.set(component, Math.min(fewest, ready))
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true
    await this.#loop
  }
}

const componentOf = (pod: ClusterObject): string => pod.metadata.labels?.['app.kubernetes.io/component'] ?? ''

const isReady = (pod: ClusterObject): boolean =>
  pod.metadata.deletionTimestamp === undefined &&
  (pod.status.conditions ?? []).some(
    ({ type, status }: { type: string; status: string }) => type === 'Ready' && status === 'True',
  )
