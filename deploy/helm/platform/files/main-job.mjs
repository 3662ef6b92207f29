// What helm test runs, inside the cluster: sign in, make a workspace with two automations, call one, emit what starts
// the other, and see its event in the feed. Without dependencies; the last line says how it ended.

const {
  GATEWAY_URL = '',
  API_URL = '',
  ADMIN_EMAIL = '',
  ADMIN_PASSWORD = '',
  ACCESS_TOKEN = '',
} = process.env
const gateway = new URL(GATEWAY_URL).origin
const publicOrigin = new URL(API_URL).origin
const FEED_SECONDS = 60
const REDIRECTS_MAX = 12

/** Addresses of the public origin are asked for inside the cluster: the way from outside is not what is tested. */
const inside = (url) => (url.origin === publicOrigin ? new URL(url.pathname + url.search, gateway) : url)

/** The cookies of one browser. */
const cookies = new Map()

async function ask(url, init = {}) {
  const headers = { ...init.headers, cookie: [...cookies].map((pair) => pair.join('=')).join('; ') }
  const response = await fetch(inside(url), {
    ...init,
    headers,
    redirect: 'manual',
    signal: AbortSignal.timeout(30_000),
  })
  for (const line of response.headers.getSetCookie()) {
    const [, name, value] = /^([^=]+)=([^;]*)/.exec(line) ?? []
    cookies.set(name, value)
  }
  return response
}

async function follow(start, init) {
  let url = start
  for (let hop = 0; hop < REDIRECTS_MAX; hop += 1) {
    const response = await ask(url, hop === 0 ? init : {})
    const location = response.headers.get('location')
    if (location === null) return { url, response }
    url = new URL(location, url)
  }
  throw new Error(`Signing in was redirected more than ${REDIRECTS_MAX} times.`)
}

/** Through the page a person sees, as a browser does it. */
async function signIn() {
  if (ADMIN_EMAIL === '' || ADMIN_PASSWORD === '')
    throw new Error(
      'There is no account to sign in with: set config.ADMIN_EMAIL before the first installation, or name an access ' +
        'token in test.accessToken.',
    )
  const page = await follow(new URL('/signin', publicOrigin))
  const action = /<form[^>]*action="([^"]+)"/.exec(await page.response.text())?.[1]
  if (action === undefined) throw new Error(`The page at ${page.url} has no form to sign in with.`)
  const body = new URLSearchParams({ login: ADMIN_EMAIL, password: ADMIN_PASSWORD })
  await follow(new URL(action, page.url), { method: 'POST', body, headers: { origin: publicOrigin } })
  const token = cookies.get('access-token')
  cookies.clear()
  if (!token) throw new Error(`Signing in as ${ADMIN_EMAIL} was refused: is its password another one by now?`)
  return token
}

async function call(token, method, path, body) {
  const response = await ask(new URL(`/v2${path}`, gateway), {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  if (!response.ok)
    throw new Error(`${method} /v2${path} was answered ${response.status}: ${text.slice(0, 500)}`)
  return text === '' ? undefined : JSON.parse(text)
}

const greet = {
  slug: 'greet',
  name: 'greet',
  when: { endpoint: true },
  do: [],
  output: { greeting: 'Hello {{body.name}}' },
}
const confirm = {
  slug: 'confirm',
  name: 'confirm',
  when: { events: ['order.placed'] },
  do: [{ emit: { event: 'order.confirmed', payload: { order: '{{payload.order}}' } } }],
}

async function work(token, workspace) {
  for (const automation of [greet, confirm]) await call(token, 'POST', `${workspace}/automations`, automation)
  console.log('two automations saved')
  const { greeting } = await call(token, 'POST', `${workspace}/webhooks/greet`, { name: 'Ada' })
  if (greeting !== 'Hello Ada') throw new Error(`The automation answered ${JSON.stringify(greeting)}.`)
  console.log('an automation called')
  await call(token, 'POST', `${workspace}/events`, {
    events: [{ type: 'order.placed', payload: { order: 42 } }],
  })
  for (let second = 0; second < FEED_SECONDS; second += 1) {
    const { result } = await call(token, 'GET', `${workspace}/events?types=order.confirmed`)
    if (result.events.some(({ payload }) => payload.order === 42))
      return console.log('the event of the other one seen')
    await new Promise((resolve) => setTimeout(resolve, 1000))
  }
  throw new Error(`order.confirmed was not in the feed within ${FEED_SECONDS} seconds.`)
}

try {
  const token = ACCESS_TOKEN || (await signIn())
  console.log('signed in')
  const { id } = await call(token, 'POST', '/workspaces', { name: 'helm test' })
  console.log('a workspace made')
  try {
    await work(token, `/workspaces/${id}`)
  } finally {
    await call(token, 'DELETE', `/workspaces/${id}`)
  }
  console.log('The main job works.')
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
