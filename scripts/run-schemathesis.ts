// Runs schemathesis against a platform of its own: as nobody, as a user, as an administrator, and what would end a
// session last. EXAMPLES is how many cases each operation gets at most (8) in each of the PHASES. The cases are the
// same each time; with RANDOM_CASES those of SEED. ONLY runs one of the four.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { ADMIN, repositoryRoot, signIn, startAllInOne } from '../packages/testing/src/platform/index.ts'

const { EXAMPLES = '8', SEED = '1', PHASES = 'examples,fuzzing', RANDOM_CASES, ONLY } = process.env
const PERSON = { email: 'ada@example.com', password: 'correct horse battery' }

/** They end the session that asks, take away what is asked about, or make keys without end. */
const FAREWELL = [
  'endCurrentSession',
  'endAllSessions',
  'endSession',
  'deleteUser',
  'deleteWorkspace',
  'deleteAutomation',
  'removeSigningKey',
  'rotateSigningKey',
  'revokeToken',
]

interface Run {
  name: string
  token?: string
  workspaceId: string
  filter: string[]
}

const program = execFileSync('bash', ['scripts/servers/schemathesis.sh', 'program'], {
  encoding: 'utf8',
}).trim()
await using platform = await startAllInOne({ ACCOUNT_VALIDATION_METHOD: 'auto', LOG_LEVEL: 'error' })
await call('POST', '/v2/signup', { ...PERSON, firstName: 'Ada', lastName: 'Lovelace' })
const [admin, user] = [await signIn(platform.origin, ADMIN), await signIn(platform.origin, PERSON)]
const workspaceId = await makeWorkspace(user)
const exceptFarewell = FAREWELL.flatMap((id) => ['--exclude-operation-id', id])
const farewell = FAREWELL.flatMap((id) => ['--include-operation-id', id])
const runs: Run[] = [
  { name: 'nobody', workspaceId, filter: [] },
  { name: 'user', token: user, workspaceId, filter: exceptFarewell },
  { name: 'admin', token: admin, workspaceId: await makeWorkspace(admin), filter: exceptFarewell },
  { name: 'farewell', token: user, workspaceId, filter: farewell },
]
const failed: string[] = []
for (const run of runs.filter(({ name }) => ONLY === undefined || ONLY === name))
  if ((await schemathesis(run)) !== 0) failed.push(run.name)
console.log(failed.length === 0 ? 'Schemathesis found nothing.' : `Failed: ${failed.join(', ')}.`)
process.exitCode = failed.length === 0 ? 0 : 1

async function makeWorkspace(token: string): Promise<string> {
  const { id } = await call('POST', '/v2/workspaces', { name: 'Asked' }, token)
  const automation = { slug: 'greet', when: { endpoint: true }, do: [], output: 'Hello' }
  await call('POST', `/v2/workspaces/${id}/automations`, automation, token)
  return String(id)
}

async function call(method: string, path: string, body: unknown, token?: string) {
  const headers = {
    'content-type': 'application/json',
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
  }
  const answer = await fetch(platform.origin + path, { method, headers, body: JSON.stringify(body) })
  if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${await answer.text()}`)
  return (await answer.json()) as { id?: unknown }
}

async function schemathesis({ name, token, workspaceId: id, filter }: Run): Promise<number> {
  const startedAt = Date.now()
  const args = ['--config-file', 'scripts/schemathesis/schemathesis.toml', 'run', '--url', platform.origin]
  const cases = RANDOM_CASES === undefined ? ['--generation-deterministic'] : ['--seed', SEED]
  args.push(...cases, '--max-examples', EXAMPLES, '--phases', PHASES)
  args.push('--no-shrink', '--continue-on-failure', ...filter)
  if (token !== undefined)
    args.push('--header', `Authorization: Bearer ${token}`, '--generation-with-security-parameters', 'false')
  const child = spawn(program, [...args, 'docs/openapi.json'], {
    cwd: repositoryRoot,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, WORKSPACE_ID: id, SCHEMATHESIS_HOOKS: 'scripts/schemathesis/hooks.py' },
  })
  let output = ''
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk
  })
  const [code] = (await once(child, 'close')) as [number | null]
  console.log(
    `${name}: ${code === 0 ? 'nothing found' : 'FOUND'} (${Math.round((Date.now() - startedAt) / 1000)} s)`,
  )
  if (code !== 0) console.log(output)
  return code ?? 1
}
