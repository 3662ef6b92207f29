import { getFunction as getContract, listFunctions as listContract } from '@platform/contracts'
import { nextPage, respond, route } from '@platform/http'
import { functionNotFound, functionResponse, presentListed } from './declared-function.ts'
import type { FunctionStore } from './function-store.ts'

export const getFunction = (deps: { functions: Pick<FunctionStore, 'find'> }) =>
  route(getContract, {
    async handle({ params, admitted: { workspace } }) {
      const record = await deps.functions.find(workspace.id, params.functionName)
      if (record === undefined) throw functionNotFound(params.functionName)
      return functionResponse(record)
    },
  })

export const listFunctions = (deps: { functions: Pick<FunctionStore, 'list'> }) =>
  route(listContract, {
    async handle({ query, request, admitted: { workspace } }) {
      // One more than asked for tells whether there is a next page.
      const { page, limit } = query
      const found = await deps.functions.list(workspace.id, { offset: page * limit, limit: limit + 1 })
      const headers = found.length > limit ? { link: nextPage(request.url, page) } : {}
      return respond(found.slice(0, limit).map(presentListed), { headers })
    },
  })
