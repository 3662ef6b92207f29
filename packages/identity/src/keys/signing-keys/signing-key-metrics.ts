import { exposeReadings, type Reading } from '@platform/http'
import { type Clock, SECOND_MS } from '@platform/kernel'
import { dueTime, type KeyPolicy, type SigningKeyTimes } from '@platform/signing-keys'

interface Needs {
  signingKeys: { list(): Promise<SigningKeyTimes[]> }
  policy: KeyPolicy
  clock: Clock
}

type State = 'signing' | 'published' | 'rotated'

/**
 * Shows how old the signing keys are and when the next one is due, until disposed; read from the database at each
 * scrape.
 */
export function exposeSigningKeys({ signingKeys, policy, clock }: Needs): AsyncDisposable {
  const stack = new AsyncDisposableStack()
  const nowMs = () => clock.now().getTime()
  const list = () => signingKeys.list()
  stack.use(
    exposeReadings(
      {
        name: 'platform_signing_key_age_seconds',
        help: 'Age of the oldest signing key in each state since it was published.',
        type: 'gauge',
      },
      async () => agesOf(await list(), nowMs()),
    ),
  )
  stack.use(
    exposeReadings(
      {
        name: 'platform_signing_key_rotation_due_seconds',
        help: 'Seconds until the key that signs is to be replaced; below 0 it should have been.',
        type: 'gauge',
      },
      async () =>
        (await list())
          .filter((key) => stateOf(key) === 'signing')
          .map((key) => ({
            labels: {},
            value: (dueTime(key, clock.now(), policy) - nowMs()) / SECOND_MS,
          })),
    ),
  )
  return stack
}

function agesOf(keys: SigningKeyTimes[], nowMs: number): Reading[] {
  const ages = new Map<State, number>()
  for (const key of keys) {
    const age = (nowMs - key.publishedAt.getTime()) / SECOND_MS
    ages.set(stateOf(key), Math.max(age, ages.get(stateOf(key)) ?? 0))
  }
  return [...ages].map(([state, value]) => ({ labels: { state }, value }))
}

function stateOf({ signsSince, rotatedAt }: SigningKeyTimes): State {
  if (rotatedAt !== undefined) return 'rotated'
  return signsSince === undefined ? 'published' : 'signing'
}
