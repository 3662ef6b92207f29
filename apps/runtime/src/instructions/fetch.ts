import type { FetchArguments } from '@platform/contracts'
import { Failure } from '@platform/kernel'
import type { EventLimits } from '@platform/outbox'
import type { Frame, OutsideEffect, RunState } from '../automations/model.ts'
import { fetchFailedEvent } from '../automations/run-events.ts'
import { failedFetch } from '../fetches/failed-fetch.ts'
import { type FetchAnswer, type FetchFailure, type OutputMode, readAnswer } from '../fetches/fetch-answer.ts'
import { type FetchFault, faultOf } from '../fetches/fetch-fault.ts'
import { type FetchRequest, type GivenRequest, requestOf } from '../fetches/fetch-request.ts'
import type { StreamHandle } from '../fetches/fetched-streams.ts'
import type { FetchAttempt } from '../fetches/fetches.ts'
import type { LiveStream } from '../fetches/live-stream.ts'
import { tracedFetch } from '../fetches/traced-fetch.ts'
import type { ModuleStores } from '../modules/module.ts'
import { hidingTokens, revealSecrets } from '../modules/secrets/reveal.ts'
import { callingFrame } from './auth.ts'
import { type Instruction, invalidInstruction, isFalse, type StepContext } from './instruction.ts'
import { type Attempt, triedOnce } from './step-retry.ts'
import { StreamedEvents, type StreamOrder, streamReader } from './streamed-events.ts'
import type { TextCompiler } from './text-compiler.ts'

/**
 * fetch: an HTTP request. What the other side answers, and that it does not, is a value; the run goes on. Whatever the
 * run did before is committed when the request leaves.
 */
export const fetch = (limits: EventLimits, stores?: ModuleStores): Instruction<FetchArguments> => ({
  name: 'fetch',
  compile(args, context) {
    const attempt = compileAttempt(args, context, { limits, stores, isTriedOnce: false })
    return (frame) => attempt(frame, triedOnce())
  },
  compileAttempt: (args, context) => compileAttempt(args, context, { limits, stores, isTriedOnce: true }),
  retriedOn: ['network', 429],
})

/** How a fetch is done. */
interface Way {
  readonly limits: EventLimits
  /** Where its secrets are. */
  readonly stores: ModuleStores | undefined
  /** With `retry` the step says how often it is tried, and nothing else tries it. */
  readonly isTriedOnce: boolean
}

function compileAttempt(
  args: FetchArguments,
  { texts, path }: StepContext,
  { limits, stores, isTriedOnce }: Way,
): Attempt {
  const readQuestion = questionReader(args, texts, { limits, stores, isTriedOnce })
  const write = texts.writer(args.output)
  return async (frame, tries) => {
    const question = { ...readQuestion(frame), key: tries.key }
    if (question.request.identity !== undefined) requireOwnApi(frame, question.request)
    const asked = await ask(frame, path, question)
    const { key, fault, attempts } = asked
    const { output, failed } = (await toldStream(frame, path, { asked, question, limits })) ?? asked
    if (attempts !== undefined) frame.observed?.attempts(attempts)
    frame.observed?.output(output)
    tries.key = key
    if (fault !== undefined && tries.isRepeated(fault, fault.asksForMs)) return
    write(frame, output)
    if (failed !== undefined) await frame.run.record(fetchFailedEvent(frame, failed, key, limits))
  }
}

function questionReader(
  args: FetchArguments,
  texts: TextCompiler,
  { stores, isTriedOnce }: Way,
): (frame: Frame) => Omit<Question, 'key'> {
  const readRequest = requestReader(args, texts)
  const readMode = texts.reader(args.outputMode)
  const readEmits = texts.reader(args.emitErrors)
  const readStream = streamReader(args.stream, texts)
  const isUnheard = args.output === undefined && readStream === undefined
  return (frame) => ({
    request: requestOf(readRequest(frame), frame.run.fetches.settings),
    mode: modeOf(readMode(frame)),
    emits: !isFalse(readEmits(frame)),
    isTriedOnce,
    stores,
    isUnheard,
    order: readStream?.(frame),
  })
}

function requestReader(args: FetchArguments, texts: TextCompiler): (frame: Frame) => GivenRequest {
  const url = texts.reader(args.url)
  const method = texts.reader(args.method)
  const headers = texts.reader(args.headers)
  const query = texts.reader(args.query)
  const body = texts.reader(args.body)
  const multipart = texts.reader(args.multipart)
  const auth = texts.reader(args.auth)
  const prismeaiApiKey = texts.reader(args.prismeaiApiKey)
  const allowSelfSignedCert = texts.reader(args.allowSelfSignedCert)
  const timeout = texts.reader(args.timeout)
  const redirects = texts.reader(args.redirects)
  return (frame) => ({
    url: url(frame),
    method: method(frame),
    headers: headers(frame),
    query: query(frame),
    body: body(frame),
    multipart: multipart(frame),
    auth: auth(frame),
    prismeaiApiKey: prismeaiApiKey(frame),
    allowSelfSignedCert: allowSelfSignedCert(frame),
    timeout: timeout(frame),
    redirects: redirects(frame),
  })
}

/** What is asked for, and how the answer is wanted. */
interface Question {
  readonly request: FetchRequest
  readonly mode: OutputMode
  /** True when a failure is told of by an event. */
  readonly emits: boolean
  /** True where the step itself is tried again. */
  readonly isTriedOnce: boolean
  readonly stores: ModuleStores | undefined
  /** Of the attempts before. */
  readonly key: string | undefined
  /** True where nobody gets to know the answer. */
  readonly isUnheard: boolean
  /** How a stream is told of by events. */
  readonly order: StreamOrder | undefined
}

/** What comes of a request, as it is kept. */
interface Asked {
  readonly key: string
  /** What the variable of the `output` gets. */
  readonly output: unknown
  /** What the event of a failure shows. */
  readonly failed?: Readonly<Record<string, unknown>>
  /** What comes piece by piece; the output has it for its body. */
  readonly stream?: StreamHandle
  /** For a step that may be tried again. */
  readonly fault?: FetchFault
  /** Of runs kept by the version before there are none. */
  readonly attempts?: readonly FetchAttempt[]
}

/** Sends the request as soon as the limits of the workspace let it. */
async function ask(frame: Frame, path: string, question: Question): Promise<Asked> {
  const throttled = frame.run.throttle('fetches', 1, frame)
  if (throttled !== undefined) await throttled
  frame.observed?.asks(question.request)
  return await frame.run.fromOutside(frame, path, async (effect) => {
    const key = question.key ?? effect.key
    const attempts: FetchAttempt[] = []
    const { signal, remainingMs } = effect
    const { result, conceal } = await send(frame, question, { key, signal, remainingMs }, attempts)
    await effect.turn()
    if (!('error' in result) && result.live !== undefined)
      return { key, ...streamed(frame, question, { key, result, live: result.live, conceal }), attempts }
    return { key, ...outcomeOf(frame, question, result, conceal), attempts }
  })
}

/** Whatever the mode is: there is no whole body yet. */
function streamed(
  { run: { streams } }: Frame,
  { isUnheard }: Question,
  answer: {
    readonly key: string
    readonly result: FetchAnswer
    readonly live: LiveStream
    readonly conceal: (value: unknown) => unknown
  },
): Pick<Asked, 'output' | 'stream'> {
  const { key, live, conceal } = answer
  const { headers, status } = answer.result
  if (isUnheard) live.close()
  const stream = streams.open(key, live, conceal)
  return { output: { body: stream, headers: conceal(headers), status }, stream }
}

/** Tells of a stream by events; answers what the fetch comes to then. Undefined where nothing is told. */
async function toldStream(
  frame: Frame,
  path: string,
  { asked, question, limits }: { asked: Asked; question: Question; limits: EventLimits },
): Promise<Pick<Asked, 'output' | 'failed'> | undefined> {
  const { request, mode, emits, order } = question
  const stream = frame.run.streams.find(asked.stream)
  if (stream === undefined || order === undefined) return undefined
  try {
    const body = await new StreamedEvents(frame, path, order, limits).tell(stream)
    return { output: toldOutput(body, asked.output as Pick<FetchAnswer, 'headers' | 'status'>, mode) }
  } catch (error) {
    const result = interruptionOf(error)
    const failed = emits ? { failed: failedFetch(request, result, frame.run.secrets) } : {}
    return { output: result, ...failed }
  } finally {
    stream.close()
  }
}

function toldOutput(
  body: unknown,
  { headers, status }: Pick<FetchAnswer, 'headers' | 'status'>,
  mode: OutputMode,
): unknown {
  const isEvents = String(headers['content-type']).toLowerCase().startsWith('text/event-stream')
  return isEvents || mode === 'detailed_response' ? { body, headers, status } : body
}

/** Throws what is no end of a stream. */
function interruptionOf(error: unknown): FetchFailure {
  if (!(error instanceof Failure) || error.name !== 'StreamInterrupted') throw error
  return { error: { name: error.name, message: error.message } }
}

function outcomeOf(
  { run }: Frame,
  { request, mode, emits, isTriedOnce }: Question,
  result: FetchAnswer | FetchFailure,
  conceal: (value: unknown) => unknown,
): Pick<Asked, 'output' | 'failed' | 'fault'> {
  const read = 'error' in result ? result : readAnswer(result, mode, request.url.host, conceal)
  const output = conceal('error' in read ? read : read.output)
  const failed = emits ? failureOf(result, read) : undefined
  const fault = isTriedOnce ? faultOf(result) : undefined
  return {
    output,
    ...(failed === undefined ? {} : { failed: shownFailure(run, request, failed, conceal) }),
    ...(fault === undefined ? {} : { fault }),
  }
}

/** Concealed before it is cut, so that no part of a secret is left at its end, and afterwards, with its headers. */
const shownFailure = (
  { secrets }: RunState,
  request: FetchRequest,
  failed: FetchAnswer | FetchFailure,
  conceal: (value: unknown) => unknown,
) =>
  conceal(failedFetch(request, failed, { mask: (value) => secrets.mask(conceal(value)) })) as Readonly<
    Record<string, unknown>
  >

/** The values of secrets are in what leaves and in nothing else. */
async function send(
  frame: Frame,
  { request, isTriedOnce, stores, order }: Question,
  { key, signal, remainingMs }: Pick<OutsideEffect, 'key' | 'signal' | 'remainingMs'>,
  attempts: FetchAttempt[],
): Promise<{ result: FetchAnswer | FetchFailure; conceal: (value: unknown) => unknown }> {
  const { run } = frame
  const { sent, conceal } = run.stubs?.reveal(request) ?? (await revealSecrets(run, stores?.secrets, request))
  if ('error' in sent) return { result: sent, conceal }
  const tokens: string[] = []
  const result = await tracedFetch(request.method, run.correlationId, (traceparent) =>
    run.fetches.send(sent, {
      workspaceId: run.workspace.id,
      frame: callingFrame(frame),
      headers: { 'idempotency-key': key, traceparent },
      signal,
      remainingMs,
      isTriedOnce,
      streams: order === undefined ? 'events' : 'pieces',
      onToken: (token) => tokens.push(token),
      onAttempt: (one) => attempts.push(one),
    }),
  )
  return { result, conceal: hidingTokens(conceal, tokens) }
}

/** Keys and workspaces are shown to nobody else. */
function requireOwnApi({ run }: Frame, { url }: FetchRequest): void {
  if (run.stubs !== undefined || run.fetches.own?.inside(url) !== undefined) return
  throw invalidInstruction(
    `${url.host} is not this platform: prismeaiApiKey and forwardWorkspaceAuth are for {{global.apiUrl}} alone.`,
  )
}

/** What `runtime.fetch.failed` tells of: no answer, one that can't be read, or one that is a failure. */
function failureOf(result: FetchAnswer | FetchFailure, read: object): FetchAnswer | FetchFailure | undefined {
  if ('error' in result || result.status >= 400) return result
  return 'error' in read ? (read as FetchFailure) : undefined
}

const modes: readonly unknown[] = ['body', 'detailed_response', 'data_url', 'base64'] satisfies OutputMode[]

function modeOf(given: unknown): OutputMode {
  if (given === undefined || given === null) return 'body'
  if (modes.includes(given)) return given as OutputMode
  throw invalidInstruction(`fetch.outputMode must be one of ${modes.join(', ')}.`)
}
