import { randomIdentifier, systemRandom } from '@mintmark/internal'
import type { Expectation, Json, Transcript, TranscriptStep } from './transcripts/transcript.ts'

/** The server that a transcript is replayed against. */
export interface ReplayTarget {
  /** The SCIM base URL, as an administrator enters it at the identity provider. */
  readonly baseUrl: string
  /** The complete Authorization header. */
  readonly authorization: string
  /** The value of `{{random}}`: letters and digits. It must differ between replays. Default: random. */
  readonly run?: string
  /** Default: the `fetch` of the runtime. */
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>
}

/** The result of one step. */
interface StepResult {
  readonly id: string
  readonly title: string
  readonly status: number
  /** Empty if the response is as expected. */
  readonly problems: readonly string[]
}

/** The result of a transcript. */
export interface Replayed {
  readonly name: string
  readonly passed: boolean
  readonly steps: readonly StepResult[]
}

/**
 * Replays an identity provider's requests against a server, step by step, and checks the responses. A failed step does
 * not stop the replay; steps that depend on it usually fail too.
 * @throws any error of `fetch` if the server cannot be reached.
 */
export async function replayTranscript({ name, headers, steps }: Transcript, target: ReplayTarget): Promise<Replayed> {
  const results: StepResult[] = []
  let variables: Variables = new Map([['random', target.run ?? createRandomValue()]])
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

/** Creates a value of letters and digits only, because some clients write it into a filter without quotes. */
const createRandomValue = (): string => `run${randomIdentifier(systemRandom).replaceAll(/[-_]/g, '0')}`

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
    // The response is not JSON. An expected object never equals a string.
    return text
  }
}

function savedValues({ save = {} }: TranscriptStep, body: Json | undefined): Variables {
  const found = Object.entries(save).map(([name, path]) => [name, valueAt(body, path)] as const)
  return new Map(found.flatMap(([name, value]) => (typeof value === 'string' ? [[name, value] as const] : [])))
}

/** The response. */
interface Answer {
  readonly status: number
  readonly body: Json | undefined
}

/** Returns the problems of a response; none if it is as expected. */
function problemsOf({ status, body }: Answer, expected: Expectation, variables: Variables): readonly string[] {
  const statusProblems = expected.status.includes(status)
    ? []
    : [`status ${status}, expected ${expected.status.join(' or ')}${detailOf(body)}`]
  // RFC 7644 §3.5.2: the response to a change may have no body.
  if (body === undefined) return statusProblems
  return [
    ...statusProblems,
    ...(expected.body === undefined ? [] : differences(body, fillIn(expected.body, variables), '')),
    ...(expected.absent ?? [])
      .filter((path) => hasValue(valueAt(body, path)))
      .map((path) => `${path} should have no value`),
    ...(expected.text ?? [])
      .filter((path) => !isNonEmptyString(valueAt(body, path)))
      .map((path) => `${path} should be a non-empty string`),
    ...(expected.never ?? [])
      .filter((text) => JSON.stringify(body).includes(text))
      .map((text) => `the response contains ${text}`),
  ]
}

/** What the server says about the error (RFC 7644 §3.12), if it says something. */
function detailOf(body: Json | undefined): string {
  const detail = valueAt(body, 'detail')
  return typeof detail === 'string' ? `: ${detail}` : ''
}

const hasValue = (value: Json | undefined): boolean =>
  value !== undefined && value !== null && !(Array.isArray(value) && value.length === 0)

const isNonEmptyString = (value: Json | undefined): boolean => typeof value === 'string' && value !== ''

/** Compares values. A found object may have more members than the expected object. */
function differences(found: Json | undefined, expected: Json, path: string): readonly string[] {
  if (Array.isArray(expected)) return listDifferences(found, expected, path)
  if (typeof expected === 'object' && expected !== null) {
    if (typeof found !== 'object' || found === null || Array.isArray(found))
      return [`${path || 'the response'} should be an object`]
    const members = found as Readonly<Record<string, Json>>
    return Object.entries(expected).flatMap(([name, member]) =>
      differences(
        Object.hasOwn(members, name) ? members[name] : undefined,
        member,
        path === '' ? name : `${path}.${name}`,
      ),
    )
  }
  return found === expected ? [] : [`${path} is ${JSON.stringify(found)}, expected ${JSON.stringify(expected)}`]
}

/** Compares lists of values, whose order is not significant (RFC 7643 §2.4). */
function listDifferences(found: Json | undefined, expected: readonly Json[], path: string): readonly string[] {
  const items: readonly Json[] = Array.isArray(found) ? found : []
  if (items.length !== expected.length) return [`${path} has ${items.length} values, expected ${expected.length}`]
  return expected
    .filter((item) => !items.some((candidate) => differences(candidate, item, path).length === 0))
    .map((item) => `${path} should contain ${JSON.stringify(item)}`)
}

/** The values of `{{name}}`, by name. */
type Variables = ReadonlyMap<string, string>

/** Replaces every `{{name}}` in a value. A name that has no value is not replaced, so that the server finds no resource. */
function fillIn(value: Json, variables: Variables): Json {
  if (typeof value === 'string') return fillInText(value, variables)
  if (Array.isArray(value)) return value.map((item: Json) => fillIn(item, variables))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, fillIn(member, variables)]))
}

/** Replaces every `{{name}}` in a string. */
const fillInText = (text: string, variables: Variables): string =>
  text.replaceAll(/\{\{(\w+)\}\}/g, (placeholder, name: string) => variables.get(name) ?? placeholder)

/** Returns the value at a path such as `Resources.0.id`. Names that contain dots are in single quotes. */
function valueAt(body: Json | undefined, path: string): Json | undefined {
  let value = body
  for (const [, quoted, plain] of path.matchAll(/'([^']*)'|([^.']+)/g)) value = memberOf(value, quoted ?? plain ?? '')
  return value
}

function memberOf(value: Json | undefined, name: string): Json | undefined {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
  return (value as Readonly<Record<string, Json>>)[name]
}
