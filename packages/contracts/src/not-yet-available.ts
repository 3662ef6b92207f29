/** Parts of the specification that are not built: what they are, and the paths that will answer one day. */
const notYetAvailable: readonly { readonly what: string; readonly paths: readonly string[] }[] = [
  {
    what: 'Organizations: members, roles, groups, invitations, service accounts and their API keys',
    paths: [
      '/v2/orgs',
      '/v2/orgs/**',
      '/v2/user/active-org',
      '/v2/workspaces/*/permissions/**',
      '/v2/*/*/permissions',
    ],
  },
  {
    what: 'Pages',
    paths: ['/v2/workspaces/*/pages', '/v2/workspaces/*/pages/**', '/v2/pages/**'],
  },
  { what: 'Apps', paths: ['/v2/apps', '/v2/apps/**', '/v2/workspaces/*/apps', '/v2/workspaces/*/apps/**'] },
  { what: 'Files', paths: ['/v2/workspaces/*/files', '/v2/workspaces/*/files/**', '/v2/files/**'] },
  {
    what: 'Versions, import and export of workspaces',
    paths: [
      '/v2/workspaces/*/versions',
      '/v2/workspaces/*/versions/**',
      '/v2/workspaces/*/import',
      '/v2/workspaces/*/export',
      '/v2/workspaces/import',
      '/v2/workspaces/export',
      '/v2/workspaces/platform/versions/**',
    ],
  },
  {
    what: 'Configuration, roles and labels of workspaces by themselves',
    paths: [
      '/v2/workspaces/*/config',
      '/v2/workspaces/*/security',
      '/v2/workspaces/*/security/roles',
      '/v2/workspaces/labels',
      '/v2/workspaces/*/status',
      '/v2/workspaces/*/writeLock',
    ],
  },
  { what: 'The crawler and the search engine', paths: ['/v2/crawler/**', '/v2/searchengine/**'] },
]

/** What a path will be of, when it is of something that is not built yet. */
export const notYetAvailableAt = (path: string): string | undefined =>
  notYetAvailable.find(({ paths }) => paths.some((one) => fits(path, one)))?.what

/** The list, as the documents show it. */
export const notYetAvailableParts: readonly string[] = notYetAvailable.map(({ what }) => what)

/** `*` is one segment, `**` at the end any rest. */
function fits(path: string, pattern: string): boolean {
  const [given, wanted] = [path.split('/'), pattern.split('/')]
  const isOpen = wanted.at(-1) === '**'
  if (isOpen ? given.length < wanted.length : given.length !== wanted.length) return false
  return wanted.every((segment, index) => segment === '*' || segment === '**' || segment === given[index])
}
