import { randomIdentifier, systemRandom } from '@mintmark/internal'

import { problemsOf } from './problems-of.ts'
import type { Json, Transcript, TranscriptStep } from './transcripts/transcript.ts'
import { fillIn, fillInText, valueAt, type Variables } from './variables.ts'

/** The server that a transcript is played against. */
export interface ReplayTarget {
  /** The SCIM base URL, as an administrator pastes it. */
  readonly baseUrl: string
  /** The whole Authorization header. */
  readonly authorization: string
  /** What `{{random}}` stands for, so that two replays do not meet: letters and digits. Default: random. */
  readonly run?: string
  /** Default: the runtime's own. */
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>
}

/** How one step went. */
export interface StepResult {
  readonly id: string
  readonly title: string
  readonly status: number
  /** Empty when the provider is content. */
  readonly problems: readonly string[]
}

/** How a whole transcript went. */
export interface Replayed {
  readonly name: string
  readonly passed: boolean
  readonly steps: readonly StepResult[]
}

/**
 * Plays an identity provider against a server, step after step, as the provider would: it sends, and judges what comes back.
 * A step that fails does not end the play: what depends on it fails too, and says so.
 * @throws whatever `fetch` throws when the server cannot be reached.
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
    // The cast says what JSON.parse yields, which its own type does not.
    return text === '' ? undefined : (JSON.parse(text) as Json)
  } catch {
    // Not JSON: no expectation holds of a text.
    return text
  }
}

function savedValues({ save = {} }: TranscriptStep, body: Json | undefined): Variables {
  const found = Object.entries(save).map(([name, place]) => [name, valueAt(body, place)] as const)
  return new Map(found.flatMap(([name, value]) => (typeof value === 'string' ? [[name, value] as const] : [])))
}
