/** What the language says of a context. */
export interface ContextDescription {
  readonly text: string
  /** How long what automations set in it is kept; undefined where nothing of it is. */
  readonly kept?: string
  /** True where automations set nothing. */
  readonly readOnly?: boolean
  /** Names that belong to the platform and can't be written. Those without a meaning are kept free for it. */
  readonly names: Readonly<Record<string, string>>
}

const reserved = ''

/** Every context an automation reads, as the documents show it and as the names are kept from being written. */
export const contextDescriptions = {
  run: {
    text: 'This run and what it causes: automations that are called or triggered by its events share it.',
    kept: 'A minute after the last write, unless CONTEXT_RUN_EXPIRE_TIME says otherwise.',
    names: {
      date: 'When it is read, ISO 8601.',
      ip: 'Address of the caller.',
      automationSlug: 'The automation that is running.',
      correlationId: 'Names everything that came of one request.',
      depth: 'How many automations stand behind one another.',
      trigger: 'What started the run: `type`, `value`, `id`.',
      socketId: 'The connection that the event came in on.',
      appSlug: reserved,
      appInstanceSlug: reserved,
      appInstanceFullSlug: reserved,
      parentAppSlug: reserved,
      sourceWorkspaceId: 'The workspace whose run has called this one, where it is another workspace.',
      authenticatedWorkspaceId:
        'The workspace that called for itself (`auth`, `forwardWorkspaceAuth`), and nobody whom it acts for.',
      permissions: reserved,
      scopes: reserved,
    },
  },
  user: {
    text:
      'The account the run acts for: that of the caller, also of a person who emitted the event by the API. ' +
      'Events that automations emit and schedules name nobody: it is empty in their runs, but the session goes ' +
      'along with such events. Setting `user.id` makes it the context of another user of this workspace ' +
      'from there on, for example of the sender of a webhook; what the run may do stays what its caller may.',
    kept: 'As long as the workspace.',
    names: {
      id: 'The account.',
      email: 'Its address; a guest has none.',
      role: 'Its role in this workspace.',
      authData: 'How it signed in.',
      orgSlugs: 'Its organizations.',
    },
  },
  session: {
    text:
      'The session of the caller, anonymous ones as well. Setting `session.id` makes it the context of another ' +
      'session from there on.',
    kept:
      '30 days after the last write, an hour in anonymous sessions, ' +
      'unless CONTEXT_SESSION_EXPIRE_TIME and CONTEXT_UNAUTHENTICATED_SESSION_EXPIRE_TIME say otherwise.',
    names: { id: 'The session.', org: reserved },
  },
  global: {
    text: 'The workspace, shared by everybody.',
    kept: 'As long as the workspace.',
    names: {
      workspaceId: 'Its id.',
      workspaceName: 'Its name.',
      apiUrl: 'Where the API answers.',
      studioUrl: 'Where the console is.',
      pagesUrl: 'Where its pages are, if the platform has PAGES_HOST.',
      pagesHost: 'What comes behind the slug of a workspace in that: a dot and PAGES_HOST.',
      endpoints: 'Slug → address of each URL trigger.',
      workspacesRegistry: reserved,
    },
  },
  socket: {
    text: 'The live connection on which the event came in that this run, or one before it, is for; else empty.',
    kept: 'Six hours after the last write, unless CONTEXT_SOCKET_EXPIRE_TIME says otherwise.',
    names: { id: 'The connection.' },
  },
  secret: {
    text:
      'A reference to each secret of the workspace, by its name: those that its owners set by the API ' +
      '(`PATCH /v2/workspaces/{workspaceId}/security/secrets`), those that automations keep for it ' +
      '([`secrets`](#the-module-secrets)), and those that operators set for it in the environment of the platform ' +
      '([`WORKSPACE_SECRET_…`](operations.md#config-and-secrets-from-the-environment)). Nothing can be set here. ' +
      'A reference stands for the value where a `fetch` ' +
      'leaves, and in `key` and `expected` of [`crypto`](#the-module-crypto), for 15 minutes from when the run ' +
      'looked first. Everywhere else it is a text of its own: to compare what somebody has sent with a secret, take ' +
      '`crypto.equals`. Names that begin with `prismeai_` are those of the ' +
      'platform: they are not here.',
    readOnly: true,
    names: {},
  },
  config: { text: 'The configuration of the workspace; what a run sets in it ends with the run.', names: {} },
  $workspace: {
    text: 'The workspace as it was saved.',
    readOnly: true,
    names: { id: 'Its id.', slug: 'Its slug.', name: 'Its name.', config: 'Its configuration.' },
  },
} as const satisfies Readonly<Record<string, ContextDescription>>

/** Names of a context that belong to the platform. */
export const builtinNames = (context: keyof typeof contextDescriptions): ReadonlySet<string> =>
  names.get(context) ?? new Set()

export const isWritable = (context: keyof typeof contextDescriptions): boolean =>
  !('readOnly' in contextDescriptions[context])

/** Why nothing can be set at a path, as far as that is known without a run; undefined where something can. */
export function refusalOfWrite([root, key]: readonly (string | number)[]): string | undefined {
  const name = String(root)
  if (!Object.hasOwn(contextDescriptions, name)) return undefined
  const context: ContextDescription = contextDescriptions[name as keyof typeof contextDescriptions]
  if (context.readOnly === true) return `nothing can be set in the context ${name}`
  if (key === undefined) return `the context ${name} can't be set as a whole: name a value in it`
  return Object.hasOwn(context.names, key)
    ? `${name}.${key} belongs to the platform and can't be set`
    : undefined
}

const names: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries(contextDescriptions).map(([context, description]) => [
    context,
    new Set(Object.keys(description.names)),
  ]),
)
