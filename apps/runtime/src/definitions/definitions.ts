import { StoreError } from '@platform/kernel'
import { LRUCache } from 'lru-cache'
import type { CompiledWorkspace } from '../automations/model.ts'
import type { StepCompiler } from './compile-steps.ts'
import { compileWorkspace, type LiveDefinition } from './compile-workspace.ts'
import type { DefinitionStore } from './definition-store.ts'

const SLUG = 'slug:'

/** A workspace that is not there is asked for again after this long. */
const MISSING_MS = 500
const MAX_MISSING = 10_000

interface Entry {
  workspace: CompiledWorkspace
  /** Changed since: the next caller loads it again; while that fails, this one goes on serving. */
  isStale: boolean
}

type LiveDefinitions = Pick<DefinitionStore, 'findById' | 'findBySlug'>

interface Reading {
  answer: Promise<CompiledWorkspace | undefined>
}

/** Compiled workspaces by id, kept fresh by announcements and a poll. While the store is down, what is known goes on serving. */
export class Definitions {
  readonly #store: LiveDefinitions
  readonly #steps: StepCompiler
  readonly #known: LRUCache<string, Entry>
  readonly #ids: LRUCache<string, string>
  readonly #missing = new LRUCache<string, true>({ max: MAX_MISSING, ttl: MISSING_MS })
  readonly #loading = new Map<string, Reading>()

  constructor(store: LiveDefinitions, steps: StepCompiler, maxWorkspaces: number) {
    this.#store = store
    this.#steps = steps
    this.#known = new LRUCache({ max: maxWorkspaces })
    this.#ids = new LRUCache({ max: maxWorkspaces })
  }

  /** Finds by id or `slug:<slug>`; at once when it is known and fresh. */
  find(address: string): CompiledWorkspace | Promise<CompiledWorkspace | undefined> | undefined {
    const entry = this.#entryOf(address)
    if (entry !== undefined && !entry.isStale) return entry.workspace
    if (entry === undefined && this.#missing.has(address)) return undefined
    return this.#load(address, entry)
  }

  /** Marks a workspace, or all of them, as changed. */
  invalidate(workspaceId?: string): void {
    this.#missing.clear()
    for (const id of workspaceId === undefined ? this.#known.keys() : [workspaceId]) this.#markStale(id)
    this.#forgetLoads()
  }

  /** Marks what was changed since it was loaded. */
  compare(changes: readonly { workspaceId: string; revision: number; deleted: boolean }[]): void {
    if (changes.length > 0) this.#missing.clear()
    for (const { workspaceId, revision, deleted } of changes) {
      const entry = this.#known.peek(workspaceId)
      if (entry === undefined || (!deleted && entry.workspace.revision === revision)) continue
      this.#markStale(workspaceId)
      this.#forgetLoads()
    }
  }

  get knownIds(): string[] {
    return [...this.#known.keys()]
  }

  #markStale(workspaceId: string): void {
    const entry = this.#known.peek(workspaceId)
    if (entry !== undefined) entry.isStale = true
  }

  /** A load on its way may have read the state before the change: its callers get it, but it is not kept. */
  #forgetLoads(): void {
    this.#loading.clear()
  }

  #entryOf(address: string): Entry | undefined {
    if (!address.startsWith(SLUG)) return this.#known.get(address)
    const id = this.#ids.get(address)
    const entry = id === undefined ? undefined : this.#known.get(id)
    // A workspace that was given another slug is not behind its old one, which may be somebody else's by now.
    return entry !== undefined && SLUG + entry.workspace.slug === address ? entry : undefined
  }

  /** Callers that come while a workspace is read share that one reading; a change makes the next caller read again. */
  #load(address: string, stale: Entry | undefined): Promise<CompiledWorkspace | undefined> {
    const running = this.#loading.get(address)
    if (running !== undefined) return running.answer
    const reading: Reading = { answer: Promise.resolve(undefined) }
    this.#loading.set(address, reading)
    reading.answer = this.#read(address, stale, reading)
    return reading.answer
  }

  async #read(
    address: string,
    stale: Entry | undefined,
    reading: Reading,
  ): Promise<CompiledWorkspace | undefined> {
    const isCurrent = () => this.#loading.get(address) === reading
    try {
      const live = await this.#query(address)
      return this.#keep(address, live, stale, isCurrent())
    } catch (error) {
      if (stale !== undefined && isPassing(error)) return stale.workspace
      throw error
    } finally {
      if (isCurrent()) this.#loading.delete(address)
    }
  }

  #query(address: string): Promise<LiveDefinition | undefined> {
    return address.startsWith(SLUG)
      ? this.#store.findBySlug(address.slice(SLUG.length))
      : this.#store.findById(address)
  }

  #keep(
    address: string,
    live: LiveDefinition | undefined,
    stale: Entry | undefined,
    isCurrent: boolean,
  ): CompiledWorkspace | undefined {
    if (live === undefined) {
      if (stale !== undefined) this.#known.delete(stale.workspace.id)
      if (isCurrent) this.#missing.set(address, true)
      return undefined
    }
    const workspace = compileWorkspace(live, this.#steps)
    if (isCurrent) {
      this.#known.set(workspace.id, { workspace, isStale: false })
      this.#ids.set(SLUG + workspace.slug, workspace.id)
    }
    return workspace
  }
}

const isPassing = (error: unknown): boolean => error instanceof StoreError && error.unavailable
