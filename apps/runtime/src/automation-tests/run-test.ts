import type { AutomationTest, RunStep, TestDifference, TestResult } from '@platform/contracts'
import { cronTimes, readCron } from '@platform/cron'
import { Failure } from '@platform/kernel'
import { RunEnded } from '../automations/automation-failure.ts'
import type { CompiledAutomation, CompiledWorkspace, RunSubject } from '../automations/model.ts'
import { ownerOf } from '../automations/run-contexts.ts'
import type { TestSettings } from '../automations/test-settings.ts'
import type { StoredContext } from '../contexts/contexts.ts'
import { shownChanges, shownSteps } from '../inspection/shown-steps.ts'
import type { StepCounts } from './coverage.ts'
import { differencesOf, type Happened } from './expectations.ts'
import { orderOf, type StagedOrder, type StagedRun } from './staged-run.ts'
import { type CalledEndpoint, callOf, TestAnswer } from './test-endpoint.ts'
import { type StageParts, TestStage } from './test-stage.ts'

export interface TestOrder {
  readonly settings: TestSettings
  readonly workspace: CompiledWorkspace
  readonly test: AutomationTest & { readonly name: string }
  readonly counts: StepCounts
  readonly hasSteps: boolean
}

const STORED: readonly StoredContext[] = ['user', 'session', 'global', 'run', 'socket']

/** Runs one test: by the engine that runs everything, with nothing outside. */
export async function runTest(order: TestOrder): Promise<Omit<TestResult, 'file' | 'durationMs'>> {
  const { test, hasSteps } = order
  const who = userOf(test.user)
  const stage = stageOf({ ...order, subject: who.subject, role: who.role })
  if (typeof stage === 'string') return notBegun(test, stage)
  const given = putContexts(stage, test, who.subject)
  const begun = given ?? (await begin(stage, order, who.subject).catch(sentenceOf))
  if (typeof begun === 'string') return notBegun(test, begun)
  await stage.play()
  const [main] = stage.runs
  const failed = stage.runs.find(({ outcome }) => outcome?.failed !== undefined)
  const failure = main?.outcome?.error ?? failed?.outcome?.error
  const happened = happenedIn(stage, main, who.subject, { failure, answer: begun.answer })
  const differences =
    stage.problems.length > 0
      ? stage.problems.slice(0, 5).map((message) => ({ path: 'test', message }))
      : differencesOf(test, happened)
  return {
    name: test.name,
    status: differences.length === 0 ? 'passed' : 'failed',
    differences: differences.map(shortened),
    ...(failure === undefined ? {} : { error: failure }),
    ...(hasSteps && main !== undefined ? stepsOf(main) : {}),
  }
}

/** A sentence where what the test gives can't be there. */
function stageOf(parts: StageParts): TestStage | string {
  try {
    return new TestStage(parts)
  } catch (error) {
    return sentenceOf(error)
  }
}

/** Of what can't begin, for example because it is set aside. Throws everything else. */
function sentenceOf(error: unknown): string {
  if (error instanceof Failure || error instanceof RunEnded) return error.message
  throw error
}

const notBegun = ({ name }: { readonly name: string }, message: string) => ({
  name,
  status: 'failed' as const,
  differences: [{ path: 'test', message }],
})

interface Begun {
  readonly answer: TestAnswer | undefined
}

const TESTER = { id: 'tester', email: 'tester@example.com', role: 'owner', session: 'session-of-the-tester' }

function userOf(given: AutomationTest['user']): {
  readonly subject: RunSubject
  readonly role: string | undefined
} {
  if (given === null) return { subject: {}, role: undefined }
  const user = given === undefined ? TESTER : typeof given === 'string' ? { ...TESTER, id: given } : given
  const { id, email, role, anonymous, ip, socket, session } = { ...emptyUser, ...user }
  const sessionId = session ?? `session-of-${id}`
  return { subject: { userId: id, sessionId, email, anonymous, ip, socketId: socket }, role }
}

const emptyUser = {
  email: undefined,
  role: undefined,
  anonymous: undefined,
  ip: undefined,
  socket: undefined,
  session: undefined,
}

/** Answers a sentence where the test gives a context that nobody has. */
function putContexts(
  stage: TestStage,
  { contexts = {} }: AutomationTest,
  subject: RunSubject,
): string | undefined {
  for (const name of STORED) {
    const values = contexts[name]
    if (values === undefined) continue
    const owner = ownerOf(name, subject, stage.correlationId)
    if (owner === undefined)
      return name === 'socket'
        ? 'The context socket is that of a connection: name it, `user: { id: ada, socket: s1 }`.'
        : `The context ${name} is that of a user: the test says that there is none.`
    stage.contexts.put(name, owner, values)
  }
  return undefined
}

/** Begins what the test is of; a sentence where that can't be. */
function begin(stage: TestStage, { test }: TestOrder, subject: RunSubject): Promise<Begun | string> {
  const ways = (['endpoint', 'event', 'schedule'] as const).filter((way) => test[way] !== undefined)
  const { automation } = test
  if (ways.length > 1) return saying(`A test begins in one way, not with ${ways.join(' and ')}.`)
  if (test.endpoint !== undefined)
    return automation === undefined
      ? beginCall(stage, test.endpoint, subject)
      : saying('A test of an endpoint names its path: which automation that is, the path says.')
  if (test.event !== undefined) return beginEvent(stage, test)
  if (automation === undefined)
    return saying('The test does not say what it is of: begin it with automation, endpoint or event.')
  return beginAutomation(stage, test, automation, subject)
}

const saying = async (sentence: string): Promise<string> => sentence

async function beginAutomation(
  stage: TestStage,
  test: AutomationTest,
  slug: string,
  subject: RunSubject,
): Promise<Begun | string> {
  const automation = await requireAutomation(stage, slug)
  if (typeof automation === 'string') return automation
  const common = { automation, payload: test.arguments ?? {}, correlationId: stage.correlationId }
  if (test.schedule === undefined) {
    const trigger = { type: 'endpoint', value: `test/${slug}`, id: stage.idOf('run', 0) } as const
    stage.enqueue({ ...common, trigger, subject })
    return { answer: undefined }
  }
  const cron = readCron(test.schedule)
  const next = cron && cronTimes(cron, 'UTC').next(stage.time.now())
  if (next === undefined) return `"${test.schedule}" is no cron of five fields that ever fires.`
  const trigger = { type: 'schedule', value: test.schedule, id: next.toISOString() } as const
  const order: StagedOrder = { ...common, trigger, subject: {} }
  stage.at(next, () => stage.enqueue(order))
  return { answer: undefined }
}

async function beginEvent(stage: TestStage, test: AutomationTest): Promise<Begun | string> {
  const given = typeof test.event === 'string' ? { event: test.event } : test.event
  if (given === undefined) return 'The test names no event.'
  const event = stage.eventOf({ ...given, payload: given.payload ?? test.payload }, 'first')
  if (test.automation === undefined) {
    if (stage.workspace.listeners(event.type).length === 0)
      return `No automation listens to the event "${event.type}".`
    await stage.startListeners(event)
    return { answer: undefined }
  }
  const automation = await requireAutomation(stage, test.automation)
  if (typeof automation === 'string') return automation
  stage.enqueue(orderOf(event, automation))
  return { answer: undefined }
}

async function beginCall(
  stage: TestStage,
  given: CalledEndpoint,
  subject: RunSubject,
): Promise<Begun | string> {
  const call = callOf(given)
  const match = stage.workspace.matchUrl(call.path)
  if (match === undefined) return `No automation has the endpoint "${call.path}".`
  const automation = await requireAutomation(stage, match.slug)
  if (typeof automation === 'string') return automation
  const payload = await call.payload(match.pathParams, automation.readsRawBody)
  const answer = new TestAnswer()
  const trigger = { type: 'endpoint', value: call.path, id: stage.idOf('run', 0) } as const
  const { correlationId } = stage
  stage.enqueue({ automation, payload, trigger, subject, correlationId, http: answer })
  return { answer }
}

async function requireAutomation(
  { workspace }: TestStage,
  slug: string,
): Promise<CompiledAutomation | string> {
  const automation = await workspace.find(slug)
  if (automation === undefined) return `There is no automation "${slug}" in this workspace.`
  return automation.disabled ? `The automation "${slug}" is disabled.` : automation
}

function happenedIn(
  stage: TestStage,
  main: StagedRun | undefined,
  subject: RunSubject,
  { failure, answer }: { failure: TestResult['error']; answer: TestAnswer | undefined },
): Happened {
  const output = plain(main?.outcome?.output)
  const contexts = STORED.map((name) => {
    const owner = ownerOf(name, subject, stage.correlationId)
    return [name, owner === undefined ? {} : stage.contexts.contentOf(name, owner)] as const
  })
  const { collections } = stage
  const records = collections.names().map((name) => [name, collections.list(name, undefined, {})] as const)
  return {
    output,
    failure,
    events: stage.emitted.map(({ type: event, ...rest }) => ({ event, ...rest })),
    fetches: stage.fetches.made as unknown as Happened['fetches'],
    calls: stage.calls,
    contexts: Object.fromEntries(contexts),
    collections: Object.fromEntries(records),
    answer: answer?.shown(output, main?.outcome),
  }
}

/** As a caller would get it. */
function plain(value: unknown): unknown {
  const text = JSON.stringify(value)
  return text === undefined ? undefined : JSON.parse(text)
}

function stepsOf(run: StagedRun): { steps: RunStep[]; contexts: ReturnType<typeof shownChanges> } {
  const { seen, mask } = run
  const contexts = run.contexts === undefined ? [] : seen.contextChanges(run.contexts)
  return {
    steps: shownSteps(seen.top, { mask, unended: 'failed' }),
    contexts: shownChanges(contexts, { mask }),
  }
}

/** Characters of a value that a difference shows. */
const MOST_SHOWN = 10_000

function shortened({ path, message, ...values }: TestDifference): TestDifference {
  const shown = Object.entries(values).map(([name, value]) => {
    const text = JSON.stringify(value) ?? ''
    return [name, text.length > MOST_SHOWN ? { truncated: true, size: text.length } : value]
  })
  return { path, message: message.slice(0, 2000), ...Object.fromEntries(shown) }
}
