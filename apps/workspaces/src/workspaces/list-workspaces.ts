import { listWorkspaces as endpoint, type ListedWorkspace, type QueryOf } from '@platform/contracts'
import { nextPage, respond, route } from '@platform/http'
import { presentWorkspace } from './workspace.ts'
import type { WorkspaceFilter, WorkspaceRecord, WorkspaceSort, WorkspaceStore } from './workspace-store.ts'

export const listWorkspaces = (deps: { workspaces: WorkspaceStore }) =>
  route(endpoint, {
    async handle({ query, principal, request }) {
      const { page, limit } = query
      const { userId } = principal
      const memberId = principal.superAdmin ? undefined : userId
      // Nothing can be pushed yet, so nothing differs from what was pushed.
      if (query.dirty === 'true') return respond([])

      // One more than asked for tells whether there is a next page.
      const filter = { ...filterOf(query), memberId, owner: ownerOf(query.owned, userId) }
      const rows = { offset: page * limit, limit: limit + 1 }
      const found: Listed[] =
        query.deleted === 'true'
          ? await deps.workspaces.listDeleted(memberId, filter, rows)
          : await deps.workspaces.list(filter, rows, sortOf(query.sort))

      const headers = found.length > limit ? { link: nextPage(request.url, page) } : {}
      return respond(found.slice(0, limit).map(presentListed), { headers })
    },
  })

type Listed = WorkspaceRecord & { deletedAt?: Date }

const presentListed = ({ deletedAt, ...record }: Listed): ListedWorkspace => ({
  ...presentWorkspace(record),
  ...(deletedAt === undefined ? {} : { deletedAt: deletedAt.toISOString() }),
})

const ownerOf = (owned: 'true' | 'false' | undefined, userId: string): WorkspaceFilter['owner'] =>
  owned === undefined ? undefined : { userId, is: owned === 'true' }

function sortOf(text: string): WorkspaceSort {
  const [field, direction] = text.replace(/^-/, '').split(':')
  return { by: field as WorkspaceSort['by'], isDescending: text.startsWith('-') || direction === 'desc' }
}

const filterOf = ({ name, slug, search, labels, ids, email }: QueryOf<typeof endpoint>) => ({
  email: email?.trim().toLowerCase(),
  name,
  slug,
  search,
  labels: entriesOf(labels),
  ids: entriesOf(ids),
})

const entriesOf = (text: string | undefined): string[] | undefined =>
  text
    ?.split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
