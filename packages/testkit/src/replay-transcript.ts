import { randomIdentifier, systemRandom } from '@mintmark/internal'
import type { Expectation, Json, Transcript, TranscriptStep } from './transcripts/transcript.ts'

/** The server that a transcript is played against. */
export interface ReplayTarget {
  /** The SCIM base URL, as an administrator pastes it. */
  readonly baseUrl: string
  /** The whole Authorization header. */
  readonly authorization: string
  /** The value of `{{random}}`, so that two replays do not collide: letters and digits. Default: random. */
  readonly run?: string
  /** Default: the runtime's own. */
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>
}

/** The result of one step. */
interface StepResult {
  readonly id: string
  readonly title: string
  readonly status: number
  /** Empty when the response is as expected. */
  readonly problems: readonly string[]
}

/** The result of a whole transcript. */
export interface Replayed {
  readonly name: string
  readonly passed: boolean
  readonly steps: readonly StepResult[]
}

/**
 * Replays an identity provider's requests against a server, step by step, and checks the responses.
 * A failed step does not stop the replay: steps that depend on it fail too and are reported.
 * @throws any error of `fetch` when the server cannot be reached.
 */
export async function replayTranscript({ name, headers, steps }: Transcript, target: ReplayTarget): Promise<Replayed> {
  const results: StepResult[] = []
  let variables: Variables = new Map([['random', target.run ?? newRun()]])
  for (const step of steps) {
    const { status, body } = await send(step, { headers, variables, target })
    results.push({
      id: step.id,
      title: step.title,
      status,
      problems: problemsOf({ status, body }, step.expect, variables),
    })
    variables = new Map([...variables, ...savedValues(step, body)])
  }
  return { name, passed: results.every(({ problems }) => problems.length === 0), steps: results }
}

/** Letters and digits: some clients write it into a filter without quotes. */
const newRun = (): string => `run${randomIdentifier(systemRandom).replaceAll(/[-_]/g, '0')}`

interface Sending {
  readonly headers: Readonly<Record<string, string>>
  readonly variables: Variables
  readonly target: ReplayTarget
}

async function send({ request }: TranscriptStep, { headers, variables, target }: Sending) {
  const { baseUrl, authorization, fetch = globalThis.fetch } = target
  const url = encodeURI(baseUrl.replace(/\/+$/, '') + fillInText(request.path, variables))
    .replaceAll('#', '%23')
    .replaceAll('+', '%2B')
  const response = await fetch(url, {
    method: request.method,
    headers: { ...headers, Authorization: authorization, ...request.headers },
    redirect: 'manual',
    ...(request.body === undefined ? {} : { body: JSON.stringify(fillIn(request.body, variables)) }),
  })
  return { status: response.status, body: readJson(await response.text()) }
}

function readJson(text: string): Json | undefined {
  try {
    // The cast states the type of JSON.parse's result.
    return text === '' ? undefined : (JSON.parse(text) as Json)
  } catch {
    // Not JSON: no expectation matches a text.
    return text
  }
}

function savedValues({ save = {} }: TranscriptStep, body: Json | undefined): Variables {
  const found = Object.entries(save).map(([name, place]) => [name, valueAt(body, place)] as const)
  return new Map(found.flatMap(([name, value]) => (typeof value === 'string' ? [[name, value] as const] : [])))
}

/** The response. */
interface Answer {
  readonly status: number
  readonly body: Json | undefined
}

/** What an identity provider would not like about an answer; nothing when it is as expected. */
function problemsOf({ status, body }: Answer, expected: Expectation, variables: Variables): readonly string[] {
  const statusProblems = expected.status.includes(status)
    ? []
    : [`status ${status}, expected ${expected.status.join(' or ')}`]
  // RFC 7644 §3.5.2: a change may be answered without a body.
  if (body === undefined) return statusProblems
  return [
    ...statusProblems,
    ...(expected.body === undefined ? [] : differences(body, fillIn(expected.body, variables), '')),
    ...(expected.absent ?? [])
      .filter((place) => hasValue(valueAt(body, place)))
      .map((place) => `${place} should have no value`),
    ...(expected.text ?? [])
      .filter((place) => !isText(valueAt(body, place)))
      .map((place) => `${place} should be a text`),
    ...(expected.never ?? [])
      .filter((text) => JSON.stringify(body).includes(text))
      .map((text) => `the answer holds ${text}`),
  ]
}

const hasValue = (value: Json | undefined): boolean =>
  value !== undefined && value !== null && !(Array.isArray(value) && value.length === 0)

const isText = (value: Json | undefined): boolean => typeof value === 'string' && value !== ''

/** Compares the expected members of objects, and everything else as a whole. */
function differences(found: Json | undefined, expected: Json, place: string): readonly string[] {
  if (Array.isArray(expected)) return listDifferences(found, expected, place)
  if (typeof expected === 'object' && expected !== null) {
    if (typeof found !== 'object' || found === null || Array.isArray(found))
      return [`${place || 'the answer'} should be an object`]
    const members = found as Readonly<Record<string, Json>>
    return Object.entries(expected).flatMap(([name, member]) =>
      differences(
        Object.hasOwn(members, name) ? members[name] : undefined,
        member,
        place === '' ? name : `${place}.${name}`,
      ),
    )
  }
  return found === expected ? [] : [`${place} is ${JSON.stringify(found)}, expected ${JSON.stringify(expected)}`]
}

/** The order of values is not significant (RFC 7643 §2.4): the same values must be present, and no others. */
function listDifferences(found: Json | undefined, expected: readonly Json[], place: string): readonly string[] {
  const items: readonly Json[] = Array.isArray(found) ? found : []
  if (items.length !== expected.length) return [`${place} has ${items.length} values, expected ${expected.length}`]
  return expected
    .filter((item) => !items.some((candidate) => differences(candidate, item, place).length === 0))
    .map((item) => `${place} should hold ${JSON.stringify(item)}`)
}

/** What `{{name}}` stands for. */
type Variables = ReadonlyMap<string, string>

/** The same value with every `{{name}}` filled in; one that is not known stays, and no server finds it. */
function fillIn(value: Json, variables: Variables): Json {
  if (typeof value === 'string') return fillInText(value, variables)
  if (Array.isArray(value)) return value.map((item: Json) => fillIn(item, variables))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, fillIn(member, variables)]))
}

/** The same for a text. */
const fillInText = (text: string, variables: Variables): string =>
  text.replaceAll(/\{\{(\w+)\}\}/g, (whole, name: string) => variables.get(name) ?? whole)

/** What stands at a place such as `Resources.0.id`; undefined when nothing does. A name with dots in it stands in single quotes. */
function valueAt(body: Json | undefined, place: string): Json | undefined {
  let value = body
  for (const [, quoted, plain] of place.matchAll(/'([^']*)'|([^.']+)/g)) value = memberOf(value, quoted ?? plain ?? '')
  return value
}

function memberOf(value: Json | undefined, name: string): Json | undefined {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
  return (value as Readonly<Record<string, Json>>)[name]
}
