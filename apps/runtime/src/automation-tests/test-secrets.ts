import { createHash } from 'node:crypto'
import { textOfSecret } from '@platform/contracts'
import { Failure } from '@platform/kernel'
import { concealer } from '@platform/secret-references'
import type { RunState } from '../automations/model.ts'
import type { FetchRequest } from '../fetches/fetch-request.ts'
import type { FunctionsOf, ModuleCall } from '../modules/module.ts'
import { fillSecrets, madeOf, referencesOf } from '../modules/secrets/reveal.ts'
import { showSecret } from '../modules/secrets/secrets.ts'

type Scope = 'user' | 'workspace'

const NOT_FOUND = { error: 'not_found', message: 'There is no secret of this name and scope.' }
const USER_REQUIRED = {
  error: 'user_required',
  message: 'The run acts for no user: a secret of the scope user needs one who is signed in.',
}

/** Stands where a key has its id. */
const KEY_ID = 'test'

/** The secrets of one test. Their values are in the file of the test; runs see references all the same. */
export class TestSecrets {
  readonly #values = new Map<string, string>()
  readonly #byReference = new Map<string, string>()
  readonly #names = new Set<string>()

  constructor(given: Readonly<Record<string, string>> = {}) {
    for (const [name, value] of Object.entries(given)) this.#put('workspace', '', name, value)
  }

  /** References to those of the workspace, by their names. */
  list(): Record<string, string> {
    return Object.fromEntries([...this.#names].map((name) => [name, referenceOf('workspace', '', name)]))
  }

  /** A request with their values, and what hides them in its answer. */
  reveal(request: FetchRequest): {
    readonly sent: FetchRequest
    readonly conceal: (value: unknown) => unknown
  } {
    const values = this.behind(referencesOf(request))
    const sent = fillSecrets(request, values)
    if ('error' in sent) throw new Failure('InvalidInstructionError', sent.error.message)
    const known = new Map([...values.keys()].map((bytes) => [bytes, KEY_ID]))
    return { sent, conceal: concealer(values, known, values.size === 0 ? [] : madeOf(sent)) }
  }

  /** The values behind references, by what is sealed in them. */
  behind(references: ReadonlyMap<string, string>): Map<string, string> {
    const values = new Map<string, string>()
    for (const bytes of references.keys()) {
      const value = this.#byReference.get(bytes)
      if (value !== undefined) values.set(bytes, value)
    }
    return values
  }

  readonly functions: FunctionsOf<'secrets'> = {
    set: ({ name, scope, value }, call) => {
      const owner = ownerOf(call.frame.run, scope)
      if (owner === undefined) return USER_REQUIRED
      const reference = this.#put(scope, owner, name, textOfSecret(value))
      showSecret(call.frame.run, { scope, name }, reference)
      return reference
    },
    get: ({ name, scope }, call) => {
      const owner = ownerOf(call.frame.run, scope)
      if (owner === undefined) return USER_REQUIRED
      return this.#values.has(placeOf(scope, owner, name)) ? referenceOf(scope, owner, name) : NOT_FOUND
    },
    delete: ({ name, scope }, call: ModuleCall) => {
      const owner = ownerOf(call.frame.run, scope)
      if (owner === undefined) return USER_REQUIRED
      if (!this.#values.delete(placeOf(scope, owner, name))) return NOT_FOUND
      this.#names.delete(name)
      showSecret(call.frame.run, { scope, name }, undefined)
      return { deleted: true }
    },
  }

  #put(scope: Scope, owner: string, name: string, given: string): string {
    const reference = referenceOf(scope, owner, name)
    // A reference that is passed on stands for its value.
    const value = this.#byReference.get(bytesIn(given)) ?? given
    this.#values.set(placeOf(scope, owner, name), value)
    this.#byReference.set(bytesIn(reference), value)
    if (scope === 'workspace') this.#names.add(name)
    return reference
  }
}

const placeOf = (scope: Scope, owner: string, name: string): string => JSON.stringify([scope, owner, name])

/** The same each time, as all of a test is. */
const referenceOf = (scope: Scope, owner: string, name: string): string => {
  const bytes = createHash('sha256')
    .update(placeOf(scope, owner, name))
    .digest('base64url')
  return `$secret:${KEY_ID}.${bytes}.`
}

const bytesIn = (reference: string): string => reference.split('.')[1] ?? ''

function ownerOf({ subject }: RunState, scope: Scope): string | undefined {
  if (scope === 'workspace') return ''
  return subject.anonymous === true ? undefined : subject.userId
}
