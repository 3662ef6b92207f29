import type { ContextStore, StoredPatch } from '../contexts/context-store.ts'
import {
  type CallSite,
  type ContextDefinition,
  type ContextPatch,
  Contexts,
  type ContextWatch,
  type StoredContext,
} from '../contexts/contexts.ts'
import { builtinNames, isWritable } from '../contexts/described-contexts.ts'
import type { CompiledAutomation, CompiledWorkspace, RunSubject, Trigger } from './model.ts'
import type { RunJournal } from './run-journal.ts'

/** Addresses that automations may show or call. */
export interface PublicUrls {
  readonly apiUrl: string
  readonly consoleUrl: string
  /** Each workspace has its pages at its slug below this host, if there is one. */
  readonly pagesHost?: string | undefined
}

/** How long contexts outlive their last write, in seconds. */
export interface ContextLifetimes {
  readonly run: number
  readonly session: number
  readonly anonymousSession: number
  readonly socket: number
}

export interface ContextParts {
  readonly workspace: CompiledWorkspace
  readonly trigger: Trigger
  readonly subject: RunSubject
  readonly correlationId: string
  readonly urls: PublicUrls
  readonly store: Pick<ContextStore, 'load'>
  readonly roleOf: (userId: string, workspaceId: string) => Promise<string | undefined>
  /** Of an account: events don't have the address of who caused them. */
  readonly emailOf: (userId: string) => Promise<string | undefined>
  /** A reference to each secret of the workspace, by its name. */
  readonly listSecrets: () => Promise<Readonly<Record<string, string>>>
  readonly now: () => Date
  readonly lifetimes: ContextLifetimes
  /** Characters of JSON each stored context may grow to. */
  readonly maxSizes: Readonly<Record<StoredContext, number>>
  /** Of a run that may be done again. */
  readonly journal: RunJournal | undefined
  /** False where no other run can have set anything in the `run` context before. */
  readonly continuesRun: boolean
}

export interface RunContexts {
  readonly contexts: Contexts
  /** Reads what is stored of the contexts that an automation mentions; a promise where there is something to read. */
  load(automation: CompiledAutomation): Promise<void> | undefined
  /** Reads all of that again, when a wait is over. */
  refresh(): Promise<void>
  /** True when something was changed that is not stored. */
  hasChanges(): boolean
  /** What is to be stored of the changes since the last call: nothing once a context has become too large. */
  takePatches(names: readonly StoredContext[]): StoredPatch[]
  /** What `takePatches` left behind for that reason. */
  listHeldBack(): [StoredContext, string][]
}

/** The contexts of one run, how stored values come into them, and what of them is stored. */
export function contextsOfRun(parts: ContextParts): RunContexts {
  const person: Person = { role: undefined, email: undefined }
  const { journal } = parts
  const bound = new Map<StoredContext, string>()
  const contexts = new Contexts(
    definitionsOf(parts, person, bound),
    parts.maxSizes,
    journal && watchOf(journal),
    (name, id) => {
      if (owners.ownerOf(name) === id) return
      if (contexts.findTooLarge(parts.maxSizes) === undefined) leftBehind.push(...take([name]))
      bound.set(name, id)
      loaded.delete(name)
      loading.delete(name)
      contexts.empty(name, `${name} ${id}`)
    },
  )
  const owners: Owners = {
    ownerOf: (name) => bound.get(name) ?? ownerOf(name, parts.subject, parts.correlationId),
  }
  /** Of contexts that belong to somebody else by now. */
  let leftBehind: StoredPatch[] = []
  const take = (names: readonly StoredContext[]) =>
    contexts.takePatches(names).flatMap((patch) => storedPatch(parts, owners, patch))
  const loaded = new Set<Loadable>(parts.continuesRun ? [] : ['run'])
  const read = async (name: Loadable, how: 'load' | 'reload'): Promise<void> => {
    if (name === 'role') person.role = await roleOf(parts)
    else if (name === 'email') person.email = await emailOf(parts)
    else if (name === 'secret') await loadSecrets(parts, contexts)
    else await readContext(parts, owners, contexts, name, how)
  }
  const loadOne = async (name: Loadable): Promise<void> => {
    await read(name, 'load')
    loaded.add(name)
  }
  const loading = new Map<Loadable, Promise<void>>()
  // Calls side by side share one reading: a second one could come back after a change was committed, and would hide it.
  const loadOnce = (name: Loadable): Promise<void> => {
    const running = loading.get(name) ?? loadOne(name).finally(() => loading.delete(name))
    loading.set(name, running)
    return running
  }
  return {
    contexts,
    load({ storedContexts, readsRole, readsEmail, readsSecrets }) {
      const needed: Loadable[] = [...storedContexts]
      if (readsRole && isSomebody(parts.subject)) needed.push('role')
      if (readsEmail && isWithoutAddress(parts.subject)) needed.push('email')
      if (readsSecrets) needed.push('secret')
      const missing = needed.filter((name) => !loaded.has(name))
      return missing.length === 0 ? undefined : Promise.all(missing.map(loadOnce)).then(() => undefined)
    },
    async refresh() {
      journal?.reads.forget()
      await Promise.all([...loaded].map((name) => read(name, 'reload')))
    },
    hasChanges: () => leftBehind.length > 0 || contexts.listChanged(storedNames).length > 0,
    takePatches(names) {
      const before = leftBehind
      leftBehind = []
      return contexts.findTooLarge(parts.maxSizes) === undefined ? [...before, ...take(names)] : before
    },
    listHeldBack: () => contexts.listChanged(storedNames),
  }
}

const storedNames: readonly StoredContext[] = ['global', 'user', 'session', 'run', 'socket']

const isSomebody = ({ userId, anonymous }: RunSubject): boolean => userId !== undefined && anonymous !== true

/** A request brings the address along; an event and a schedule don't. */
const isWithoutAddress = (subject: RunSubject): boolean => isSomebody(subject) && subject.email === undefined

/** What was looked up of the user. */
interface Person {
  role: string | undefined
  email: string | undefined
}

/** What is read from the database before an automation that mentions it runs. */
type Loadable = StoredContext | 'role' | 'email' | 'secret'

interface Owners {
  readonly ownerOf: (name: StoredContext) => string | undefined
}

/** Reads what is stored of a context, or what the run has seen of it before; `how` it comes to what is known. */
async function readContext(
  { store, workspace, journal }: ContextParts,
  { ownerOf }: Owners,
  contexts: Contexts,
  name: StoredContext,
  how: 'load' | 'reload',
): Promise<void> {
  const owner = ownerOf(name)
  if (owner === undefined) return
  const { values, ending } = await store.load(workspace.id, name, owner)
  // Meanwhile it may have become somebody else's.
  if (ownerOf(name) !== owner) return
  contexts[how](name, journal?.reads.shown(contexts.labelOf(name), values) ?? values, ending)
}

async function loadSecrets(parts: ContextParts, contexts: Contexts): Promise<void> {
  const references = await parts.listSecrets()
  contexts.load('secret', parts.journal?.reads.shown('secret', references) ?? references)
}

async function roleOf({ subject, workspace, journal, ...parts }: ContextParts): Promise<string | undefined> {
  const seen = journal?.reads.role
  if (seen !== undefined) return seen ?? undefined
  const role = await parts.roleOf(subject.userId ?? '', workspace.id)
  journal?.reads.sawRole(role)
  return role
}

async function emailOf({ subject, journal, ...parts }: ContextParts): Promise<string | undefined> {
  const seen = journal?.reads.email
  if (seen !== undefined) return seen ?? undefined
  // Runs of the release before had none where they would look it up now.
  if (journal?.isComplete === true) return undefined
  const email = await parts.emailOf(subject.userId ?? '')
  journal?.reads.sawEmail(email)
  return email
}

const watchOf = (journal: RunJournal): ContextWatch => ({
  sawKey: (context, key) => journal.reads.sawKey(context, key),
  sawWhole: (context) => journal.reads.sawWhole(context),
  count: (context, key) => journal.count(`set ${context}.${key}`),
  isStored: (number, context, key) => journal.isStored(number, context, key),
  wasRefused: (number) => journal.wasRefused(number),
  refuse: (number) => journal.refuse(number),
})

/** Whose context it is; undefined where there is no user or session: then nothing is stored. */
export function ownerOf(
  context: StoredContext,
  subject: RunSubject,
  correlationId: string,
): string | undefined {
  if (context === 'global') return ''
  if (context === 'run') return correlationId
  if (context === 'socket') return subject.socketId
  return context === 'user' ? subject.userId : subject.sessionId
}

function storedPatch(
  parts: ContextParts,
  owners: Owners,
  { context, values, removed, changes, expiries }: ContextPatch,
): StoredPatch[] {
  const { workspace, subject, lifetimes } = parts
  const owner = owners.ownerOf(context)
  if (owner === undefined) return []
  const ttlSeconds = secondsStored(context, subject, lifetimes)
  const patch = { workspaceId: workspace.id, context, owner, content: values, removed, ttlSeconds }
  return [
    {
      ...patch,
      ...(changes.length === 0 ? {} : { changes }),
      ...(Object.keys(expiries).length === 0 ? {} : { expiries }),
    },
  ]
}

function secondsStored(
  context: StoredContext,
  subject: RunSubject,
  lifetimes: ContextLifetimes,
): number | undefined {
  if (context === 'run') return lifetimes.run
  if (context === 'socket') return lifetimes.socket
  if (context !== 'session') return undefined
  return subject.anonymous === true ? lifetimes.anonymousSession : lifetimes.session
}

function definitionsOf(
  parts: ContextParts,
  person: Person,
  bound: ReadonlyMap<StoredContext, string>,
): Readonly<Record<string, ContextDefinition>> {
  const { workspace, subject, journal } = parts
  const { config } = workspace
  const global = once(() => globalBuiltins(parts))
  return {
    run: {
      builtins: (place) => runBuiltins(parts, place),
      builtinNames: builtinNames('run'),
      writable: true,
    },
    user: {
      builtins: () =>
        // Only whose context it is: what the caller may do stays what it was.
        bound.has('user') ? { id: bound.get('user') } : withoutMissing(userBuiltins(subject, person)),
      builtinNames: builtinNames('user'),
      writable: true,
    },
    session: {
      builtins: () => withoutMissing({ id: bound.get('session') ?? subject.sessionId }),
      builtinNames: builtinNames('session'),
      writable: true,
    },
    global: { builtins: () => global(), builtinNames: builtinNames('global'), writable: true },
    socket: {
      builtins: () => withoutMissing({ id: subject.socketId }),
      builtinNames: builtinNames('socket'),
      writable: true,
    },
    config: { custom: { ...(journal?.reads.shown('config', config) ?? config) }, writable: true },
    secret: { writable: isWritable('secret') },
    $workspace: {
      builtins: () => ({
        id: workspace.id,
        slug: workspace.slug,
        name: workspace.name,
        config: workspace.config,
      }),
      writable: isWritable('$workspace'),
    },
  }
}

const runBuiltins = (parts: ContextParts, { automationSlug, depth }: CallSite): Record<string, unknown> =>
  withoutMissing({
    date: parts.now().toISOString(),
    ip: parts.subject.ip,
    automationSlug,
    correlationId: parts.correlationId,
    depth,
    trigger: parts.trigger,
    socketId: parts.subject.socketId,
    sourceWorkspaceId: parts.subject.sourceWorkspaceId,
    authenticatedWorkspaceId: parts.subject.authenticatedWorkspaceId,
  })

function userBuiltins({ userId, email, anonymous }: RunSubject, person: Person): Record<string, unknown> {
  if (userId === undefined) return {}
  const authData = anonymous === true ? { anonymous: {} } : { prismeai: {} }
  return { id: userId, email: email ?? person.email, authData, orgSlugs: [], role: person.role }
}

function globalBuiltins({ workspace, urls }: ContextParts): Record<string, unknown> {
  const base = `${urls.apiUrl}/workspaces/${workspace.id}/webhooks`
  const endpoints = Object.fromEntries(
    [...workspace.endpoints].map(([slug, path]) => [slug, `${base}/${path}`]),
  )
  return {
    workspaceId: workspace.id,
    workspaceName: workspace.name,
    apiUrl: urls.apiUrl,
    studioUrl: urls.consoleUrl,
    ...pagesOf(workspace.slug, urls),
    endpoints,
  }
}

/** The host begins with its dot: the slug of a workspace stands before it. */
function pagesOf(slug: string, { apiUrl, pagesHost }: PublicUrls): Record<string, unknown> {
  if (pagesHost === undefined) return {}
  return { pagesUrl: `${new URL(apiUrl).protocol}//${slug}.${pagesHost}`, pagesHost: `.${pagesHost}` }
}

/** A workspace may have thousands of endpoints: they are listed once a run, and only for runs that ask. */
function once<T extends object>(make: () => T): () => T {
  let made: T | undefined
  return () => {
    made ??= make()
    return made
  }
}

const withoutMissing = (values: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))
