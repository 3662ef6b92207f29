import type { StoredContext } from './contexts.ts'

const builtins: Readonly<Record<StoredContext, readonly string[]>> = {
  run: [
    'date',
    'ip',
    'automationSlug',
    'correlationId',
    'depth',
    'trigger',
    'socketId',
    'appSlug',
    'appInstanceSlug',
    'appInstanceFullSlug',
    'parentAppSlug',
    'sourceWorkspaceId',
    'authenticatedWorkspaceId',
    'permissions',
    'scopes',
  ],
  user: ['id', 'email', 'role', 'authData', 'orgSlugs'],
  session: ['id', 'org'],
  global: [
    'workspaceId',
    'workspaceName',
    'apiUrl',
    'studioUrl',
    'pagesUrl',
    'pagesHost',
    'endpoints',
    'workspacesRegistry',
  ],
}

/** Names of a context that belong to the platform. */
export const builtinNames = (context: StoredContext): readonly string[] => builtins[context]

const patterns = Object.entries(builtins).map(([context, names]) => ({
  context: context as StoredContext,
  // `global.x`, `global[…]`, `{{global}}` and `scope: global`, but none of the platform's own keys.
  mention: new RegExp(
    `(?<![\\w.$])${context}(?:\\s*\\[|\\s*\\}\\}|\\.(?!(?:${names.join('|')})(?!\\w))[\\w{])|"scope":"${context}"`,
  ),
}))

/** The contexts whose kept values an automation may read or write: only those are loaded before it runs. */
export const mentionedContexts = (text: string): StoredContext[] =>
  patterns.filter(({ mention }) => mention.test(text)).map(({ context }) => context)

/** True when an automation may ask for the role of the user, which takes a question to the permissions. */
export const mentionsRole = (text: string): boolean =>
  /(?<![\w.$])user(?:\s*\[|\s*\}\}|\.role(?!\w))/.test(text)
