import { LRUCache } from 'lru-cache'
import type { SourcePlace } from '../automations/model.ts'
import type { AutomationText, DefinitionStore } from './definition-store.ts'

/** Characters of the names that are remembered. */
const MAX_CHARACTERS = 1_000_000
/** The same definition may be saved as another text. */
const KEPT_MS = 60_000

/**
 * Where instructions stand in the YAML their automation was saved as. Each is asked for once in a while: an automation
 * that fails mostly fails at the same place again.
 */
export class SourcePlaces {
  readonly #store: Pick<DefinitionStore, 'findPlace'>
  readonly #known = new LRUCache<string, readonly [SourcePlace | undefined]>({
    maxSize: MAX_CHARACTERS,
    ttl: KEPT_MS,
  })

  constructor(store: Pick<DefinitionStore, 'findPlace'>) {
    this.#store = store
  }

  /** Undefined for one that was saved as JSON. Rejects with StoreError. */
  async find(
    workspaceId: string,
    revision: number,
    text: AutomationText,
    instruction: string,
  ): Promise<SourcePlace | undefined> {
    const key = JSON.stringify([workspaceId, text.checksum, text.slug, instruction])
    const known = this.#known.get(key)
    if (known !== undefined) return known[0]
    const place = await this.#store.findPlace(workspaceId, text, revision, instruction)
    this.#known.set(key, [place], { size: key.length })
    return place
  }
}
