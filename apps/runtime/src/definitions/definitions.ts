import { definitionSize } from '@platform/contracts'
import { atMost, StoreError } from '@platform/kernel'
import { LRUCache } from 'lru-cache'
import type { CompiledAutomation, CompiledFunction, CompiledWorkspace } from '../automations/model.ts'
import { Overrides } from '../overrides/overrides.ts'
import type { CompileAutomation } from './compile-automation.ts'
import { compileFunction } from './compile-function.ts'
import { compileWorkspace } from './compile-workspace.ts'
import type { AutomationText, DefinitionStore, LiveAutomation } from './definition-store.ts'
import { LiveRevisions } from './live-revisions.ts'
import { SourcePlaces } from './source-places.ts'

const SLUG = 'slug:'

/** What a character of an index costs once it is read. */
const INDEX_BYTES = 4
const WORKSPACE_BYTES = 2000
/** What is known of a function beside its text, and which share of the memory of definitions they may have. */
const FUNCTION_BYTES = 2000
const FUNCTIONS_SHARE = 4

export interface DefinitionLimits {
  /** Workspaces in memory. */
  readonly maxWorkspaces: number
  /** Bytes of the compiled automations in memory, and as much again at most for the indexes of workspaces. */
  readonly maxBytes: number
}

type StoredDefinitions = Omit<DefinitionStore, 'probe'>

/**
 * The workspaces this instance runs. Each call asks where its workspace stands, and reads again what has changed: a
 * change that is saved runs with the next call, wherever it arrives. Automations are compiled one by one and
 * forgotten one by one, the longest unused first. While the store is down, what is known goes on serving.
 *
 * A workspace that was found keeps the automations of its revision, whatever is saved meanwhile.
 */
export class Definitions {
  readonly #store: StoredDefinitions
  readonly #compileAutomation: CompileAutomation
  readonly #revisions: LiveRevisions
  readonly #places: SourcePlaces
  readonly #workspaces: LRUCache<string, CompiledWorkspace>
  readonly #automations: LRUCache<string, CompiledAutomation>
  readonly #functions: LRUCache<string, { readonly found: CompiledFunction | undefined }>
  readonly #ids: LRUCache<string, string>
  readonly #overrides: Pick<Overrides, 'configOf'>
  readonly #loading = new Map<string, Promise<CompiledWorkspace | undefined>>()
  readonly #compiling = new Map<string, Promise<CompiledAutomation | undefined>>()

  constructor(
    store: StoredDefinitions,
    compileAutomation: CompileAutomation,
    { maxWorkspaces, maxBytes }: DefinitionLimits,
    overrides: Pick<Overrides, 'configOf'> = new Overrides(),
  ) {
    this.#overrides = overrides
    this.#store = store
    this.#compileAutomation = compileAutomation
    this.#revisions = new LiveRevisions(store)
    this.#places = new SourcePlaces(store)
    this.#workspaces = new LRUCache({ max: maxWorkspaces, maxSize: maxBytes })
    this.#automations = new LRUCache({ maxSize: maxBytes })
    this.#functions = new LRUCache({ maxSize: Math.ceil(maxBytes / FUNCTIONS_SHARE) })
    this.#ids = new LRUCache(atMost(maxWorkspaces))
  }

  /** The id behind an address, from memory where it is known: for what need not be of this moment. */
  idOf(address: string): string | undefined | Promise<string | undefined> {
    const id = address.startsWith(SLUG) ? this.#ids.get(address) : address
    if (id !== undefined && this.#workspaces.has(id)) return id
    return this.find(address).then((workspace) => workspace?.id)
  }

  /**
   * The workspace by id or `slug:<slug>`: as it was last saved, or, where a revision is given, with the automations it
   * had then. Costs a further statement only where something was saved since.
   */
  async find(address: string, revision?: number | null): Promise<CompiledWorkspace | undefined> {
    const live = await this.#findLive(address)
    const isOther = typeof revision === 'number' && live !== undefined && live.revision !== revision
    return isOther ? await this.#asItWas(live, revision) : live
  }

  /** Slugs of a workspace under which something else is saved by now than was at a revision. */
  async listChanged(workspaceId: string, revision: number): Promise<ReadonlySet<string>> {
    const changed = await this.#store.listEarlier(workspaceId, revision)
    return new Set(changed.map(({ slug }) => slug))
  }

  /** Of the revision, so that a run calls the function it began with; each is read once for it. */
  async #findFunction(
    workspaceId: string,
    revision: number,
    name: string,
  ): Promise<CompiledFunction | undefined> {
    const key = `${workspaceId} ${revision} ${name}`
    const known = this.#functions.get(key)
    if (known !== undefined) return known.found
    const stored = await this.#store.findFunction(workspaceId, name, revision)
    const found = stored && compileFunction(stored.definition)
    this.#functions.set(key, { found }, { size: FUNCTION_BYTES + CHARACTER_BYTES * (stored?.length ?? 0) })
    return found
  }

  async #asItWas(live: CompiledWorkspace, revision: number): Promise<CompiledWorkspace> {
    if (live.revision < revision)
      throw new StoreError('The definitions of this revision can not be read now.', { unavailable: true })
    const listed = await this.#store.listEarlier(live.id, revision)
    const earlier = new Map(listed.map(({ slug, checksum }) => [slug, checksum]))
    return {
      ...live,
      revision,
      find: (slug) => {
        const checksum = earlier.get(slug)
        if (checksum === undefined) return live.find(slug)
        return checksum === null ? undefined : this.#findAutomation(live.id, revision, { slug, checksum })
      },
      findFunction: (name) => this.#findFunction(live.id, revision, name),
      placeOf: async (slug, instruction) => {
        const checksum = earlier.get(slug)
        if (checksum === undefined) return await live.placeOf(slug, instruction)
        if (checksum === null) return undefined
        return await this.#places.find(live.id, revision, { slug, checksum }, instruction)
      },
    }
  }

  async #findLive(address: string): Promise<CompiledWorkspace | undefined> {
    const live = await this.#revisionOf(address)
    if (live === undefined) return undefined
    const known = this.#workspaces.get(live.workspaceId)
    if (known?.revision === live.revision) return known
    try {
      return await this.#load(live.workspaceId, live.revision)
    } catch (error) {
      if (known !== undefined && isPassing(error)) return known
      throw error
    }
  }

  /** While the store can't say, what is known is taken for what there is. */
  async #revisionOf(address: string): Promise<{ workspaceId: string; revision: number } | undefined> {
    try {
      return await this.#revisions.find(address)
    } catch (error) {
      const workspaceId = address.startsWith(SLUG) ? this.#ids.get(address) : address
      const known = workspaceId === undefined ? undefined : this.#workspaces.get(workspaceId)
      if (known === undefined || !isPassing(error)) throw error
      return { workspaceId: known.id, revision: known.revision }
    }
  }

  /**
   * Callers that come while a workspace is read share that reading, unless it began before the change they must see.
   */
  async #load(workspaceId: string, revision: number): Promise<CompiledWorkspace | undefined> {
    const running = this.#loading.get(workspaceId)
    if (running !== undefined) {
      const workspace = await running
      if (workspace !== undefined && workspace.revision >= revision) return workspace
    }
    const reading = this.#readWorkspace(workspaceId).finally(() => {
      if (this.#loading.get(workspaceId) === reading) this.#loading.delete(workspaceId)
    })
    this.#loading.set(workspaceId, reading)
    return await reading
  }

  async #readWorkspace(workspaceId: string): Promise<CompiledWorkspace | undefined> {
    const live = await this.#store.findWorkspace(workspaceId)
    if (live === undefined) {
      this.#workspaces.delete(workspaceId)
      return undefined
    }
    const { revision } = live
    const stored = compileWorkspace(
      live,
      (one) => this.#findAutomation(workspaceId, revision, one),
      (one, instruction) => this.#places.find(workspaceId, revision, one, instruction),
      (name) => this.#findFunction(workspaceId, revision, name),
    )
    const workspace = { ...stored, config: this.#overrides.configOf(stored, stored.config) }
    this.#workspaces.set(workspaceId, workspace, { size: WORKSPACE_BYTES + INDEX_BYTES * live.length })
    this.#ids.set(SLUG + workspace.slug, workspaceId)
    return workspace
  }

  #findAutomation(
    workspaceId: string,
    revision: number,
    text: AutomationText,
  ): CompiledAutomation | undefined | Promise<CompiledAutomation | undefined> {
    const key = keyOf(workspaceId, text)
    const known = this.#automations.get(key) ?? this.#compiling.get(key)
    if (known !== undefined) return known
    const compiling = this.#compile(workspaceId, revision, text).finally(() => this.#compiling.delete(key))
    this.#compiling.set(key, compiling)
    return compiling
  }

  async #compile(
    workspaceId: string,
    revision: number,
    { slug, checksum }: AutomationText,
  ): Promise<CompiledAutomation | undefined> {
    const live = await this.#store.findAutomation(workspaceId, slug)
    const stored =
      live?.checksum === checksum ? live : await this.#findEarlier(workspaceId, slug, revision, live)
    if (stored === undefined) return undefined
    const { checksum: compiledFrom } = stored
    const compiled = await this.#compileAutomation(workspaceId, slug, stored.definition)
    const automation = { ...compiled, checksum: compiledFrom }
    this.#automations.set(keyOf(workspaceId, { slug, checksum: stored.checksum }), automation, {
      size: compiledBytes(stored.definition, stored.length),
    })
    return automation
  }

  /** It was saved or deleted since its workspace was read. Where nothing was recorded, a run takes what there is. */
  async #findEarlier(
    workspaceId: string,
    slug: string,
    revision: number,
    live: LiveAutomation | undefined,
  ): Promise<LiveAutomation | undefined> {
    return (await this.#store.findEarlier(workspaceId, slug, revision)) ?? live
  }
}

/** A definition that was not changed is not compiled again, whatever else of its workspace was. */
const keyOf = (workspaceId: string, { slug, checksum }: AutomationText): string =>
  `${workspaceId} ${checksum} ${slug}`

const isPassing = (error: unknown): boolean => error instanceof StoreError && error.unavailable

/** Measured: what a value costs when it is compiled, a word of an expression, and a character of the text it was. */
const VALUE_BYTES = 280
const WORD_BYTES = 120
const CHARACTER_BYTES = 3

/** About the bytes of memory a definition of so many characters takes once it is compiled. */
export function compiledBytes(definition: unknown, length: number): number {
  const { values, words } = definitionSize(definition)
  return VALUE_BYTES * values + WORD_BYTES * words + CHARACTER_BYTES * length
}
