import { signedIn } from '@platform/auth'
import { listWorkspaces as endpoint, type QueryOf } from '@platform/contracts'
import { answer, nextPage, route } from '@platform/http'
import { presentWorkspace } from './workspace.ts'
import type { WorkspaceStore } from './workspace-store.ts'

export const listWorkspaces = (deps: { workspaces: WorkspaceStore }) =>
  route(endpoint, {
    access: signedIn,
    async handle({ query, principal, request }) {
      const { page, limit } = query
      const memberId = principal.superAdmin ? undefined : principal.userId

      // One more than asked for tells whether there is a next page.
      const filter = { ...filterOf(query), memberId }
      const found = await deps.workspaces.list(filter, { offset: page * limit, limit: limit + 1 })

      const headers = found.length > limit ? { link: nextPage(request.url, page) } : {}
      return answer(found.slice(0, limit).map(presentWorkspace), { headers })
    },
  })

const filterOf = ({ name, slug, search, labels, ids }: QueryOf<typeof endpoint>) => ({
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
