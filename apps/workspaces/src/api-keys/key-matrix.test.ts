import { createAutomation } from '@platform/contracts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newKey, type TestKey } from '../../test/api-keys.ts'
import { startWorkspaces, type TestWorkspaces } from '../../test/testing.ts'

let service: TestWorkspaces
beforeAll(async () => {
  service = await startWorkspaces()
})
afterAll(() => service[Symbol.asyncDispose]())

const actions = [
  ...['manage', 'create', 'read', 'update', 'delete', 'execute', 'test', 'manage_permissions'],
  ...['manage_security', 'manage_repositories', 'read_app_dsul', 'get_usage', 'aggregate_search'],
]
const subjects = ['workspaces', 'pages', 'files', 'apps', 'events', 'automations']

/** A route, the right it takes, and what it answers to who has it: changes are stopped by a precondition that fails. */
interface Line {
  method: string
  path: string
  /** undefined: no key may ever. */
  right: [action: string, subject: string] | undefined
  allowed?: number
}
const routes: Line[] = [
  { method: 'GET', path: '', right: ['read', 'workspaces'], allowed: 200 },
  { method: 'PATCH', path: '', right: ['update', 'workspaces'], allowed: 412 },
  { method: 'DELETE', path: '', right: ['delete', 'workspaces'], allowed: 412 },
  { method: 'GET', path: '/automations', right: ['read', 'automations'], allowed: 200 },
  { method: 'POST', path: '/automations', right: ['create', 'automations'], allowed: 400 },
  { method: 'GET', path: '/automations/greet', right: ['read', 'automations'], allowed: 200 },
  { method: 'PATCH', path: '/automations/greet', right: ['update', 'automations'], allowed: 412 },
  { method: 'DELETE', path: '/automations/greet', right: ['delete', 'automations'], allowed: 412 },
  { method: 'GET', path: '/security/apikeys', right: undefined },
  { method: 'POST', path: '/security/apikeys', right: undefined },
  { method: 'PUT', path: '/security/apikeys/x', right: undefined },
  { method: 'DELETE', path: '/security/apikeys/x', right: undefined },
  { method: 'POST', path: '/security/apikeys/x/explain', right: undefined },
]
const bodies: Record<string, unknown> = {
  PATCH: { name: 'Renamed' },
  'POST /automations': {},
  'POST /security/apikeys': { name: 'x', rules: [{ action: 'read', subject: 'files' }] },
  'PUT /security/apikeys/x': { rules: [{ action: 'read', subject: 'files' }] },
  'POST /security/apikeys/x/explain': { action: 'read', subject: 'files' },
}

async function ask({ listed }: TestKey, workspaceId: string, { method, path }: Line): Promise<number> {
  const body = bodies[`${method} ${path}`] ?? bodies[method]
  const answer = await fetch(`${service.url}/v2/workspaces/${workspaceId}${path}`, {
    method,
    headers: {
      ...service.headersOf({ kind: 'apiKey', apiKeyId: listed._id }),
      'if-match': '"never"',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    body: body === undefined ? null : JSON.stringify(body),
  })
  await answer.body?.cancel()
  return answer.status
}

describe('every right on every route', () => {
  it.each(subjects)('a key for %s may what it was given at home, and nothing abroad', async (subject) => {
    const abroad = await newKey(service)
    const wrong: string[] = []
    let asked = 0
    for (const action of actions) {
      const key = await newKey(service, [{ action, subject }])
      const params = { workspaceId: key.workspace.id }
      await key.owner(createAutomation, { params, body: { slug: 'greet', name: 'Greet', output: 1 } })
      for (const line of routes) {
        const [does, on] = line.right ?? []
        const holds = on === subject && (action === does || action === 'manage')
        const expected = line.right !== undefined && holds ? line.allowed : 403
        const home = await ask(key, key.workspace.id, line)
        if (home !== expected) wrong.push(`${action} ${subject}: ${line.method} ${line.path} ${home}`)
        const foreign = await ask(key, abroad.workspace.id, line)
        // Where no key is taken it is refused before the workspace is looked for.
        if (foreign !== (line.right === undefined ? 403 : 404)) wrong.push(`${line.method} abroad ${foreign}`)
        asked += 2
      }
    }
    expect(wrong).toEqual([])
    expect(asked).toBe(actions.length * routes.length * 2)
  })
})
