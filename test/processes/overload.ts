// Sends more requests than two processes over PostgreSQL can serve: `pnpm stress overload [--limit requests] [--seconds n]`.
// Half of the requests introspect a token, and half refresh one. `--limit` is the server's option `maxConcurrentRequests`.
// It fails if a request gets anything but its answer or 503, or if the servers do not recover.
import { Agent, request } from 'node:http'
import { parseArgs } from 'node:util'

import { positiveCount, runCommand } from '../../scripts/command-words.ts'
import { startPostgres } from '../../packages/storage-sql/test/support/postgres-server.ts'
import { basic, encode } from '../support/flow.ts'
import { forgetPeak, peakMebibytes } from '../support/process-memory.ts'
import { quantile } from '../support/quantile.ts'
import { clientRequests, codeOf, tokensOf, type Tokens } from './client-requests.ts'
import { startServerProcesses } from './server-processes.ts'
import { openPostgresSite } from './test-database.ts'

const { maxConcurrentRequests, seconds } = await runCommand(
  'Write pnpm stress overload [--limit REQUESTS] [--seconds NUMBER].',
  (args) => {
    const { values } = parseArgs({
      args,
      options: { limit: { type: 'string', default: '256' }, seconds: { type: 'string', default: '10' } },
    })
    return {
      maxConcurrentRequests: positiveCount('--limit', values.limit),
      seconds: positiveCount('--seconds', values.seconds),
    }
  },
)

interface Answer {
  /** In milliseconds from the start of the phase. */
  readonly sentAt: number
  readonly took: number
  /** Of HTTP, or the message of an error of the connection. */
  readonly status: number | string
}

const postgres = await startPostgres()
const site = await openPostgresSite(postgres.url)
const servers = await startServerProcesses(site.database, 2, { maxConcurrentRequests })
const agent = new Agent({ keepAlive: true })
const families: Tokens[] = []
const client = clientRequests(site.clients)
for (let each = 0; each < 500; each += 1) {
  const { port } = servers[each % 2] ?? { port: 0 }
  families.push(tokensOf(await client.redeem(port, codeOf(await client.authorize(port)))))
}
const accessTokens = families.map(({ access_token }) => access_token)
let sent = 0
let isUnexpected = false

const sustainable = await sustainableRate()
console.log(
  `${maxConcurrentRequests} requests at once in each of two processes; ${sustainable.toFixed(0)} a second answered at most`,
)
console.log(
  '| offered | answered, per s | p50, ms | p99, ms | refused, per s | p99 of a refusal, ms | memory of a process, MiB |',
)
console.log('|---|---|---|---|---|---|---|')
const before = await phase('70 %', 0.7)
await phase('200 %', 2)
const after = await phase('70 % again', 0.7)
// RFC 9110 §15.6.4: the refusals have ended when their reason has.
const recovered = recoveredAfter(before, after)
console.log(`p50 is back to its double ${recovered === undefined ? 'never' : `in second ${recovered}`}.`)
await Promise.all(servers.map((server) => server.kill()))
agent.destroy()
await site.close()
await postgres.stop()
process.exitCode = isUnexpected || recovered === undefined ? 1 : 0

/** Returns how many requests a second are answered when 32 clients send one after another. */
async function sustainableRate(): Promise<number> {
  const end = performance.now() + seconds * 1000
  let answered = 0
  await Promise.all(
    Array.from({ length: 32 }, async () => {
      while (performance.now() < end) if ((await sendNext()) === 200) answered += 1
    }),
  )
  return answered / seconds
}

/** Sends a share of the sustainable rate, whether earlier requests are answered or not, and prints a row. */
async function phase(name: string, share: number): Promise<readonly Answer[]> {
  const started = performance.now()
  const answers: Promise<Answer>[] = []
  for (const server of servers) forgetPeak(server)
  for (let at = 0; at < seconds * 1000; at = performance.now() - started) {
    for (; answers.length < (at / 1000) * sustainable * share;) answers.push(timed(started))
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
  const done = await Promise.all(answers)
  const took = (status: number | string) =>
    done.filter((answer) => answer.status === status).map((answer) => answer.took)
  const [served, refused] = [took(200), took(503)]
  const unexpected = done.filter(({ status }) => status !== 200 && status !== 503)
  isUnexpected ||= unexpected.length > 0
  for (const status of new Set(unexpected.map((answer) => answer.status)))
    console.log(`Unexpected: ${status}, ${took(status).length} times`)
  const perSecond = (list: readonly number[]) => (list.length / seconds).toFixed(0)
  const within = (list: readonly number[], part: number) => quantile(list, part).toFixed(1)
  const row = [
    `${name}: ${(sustainable * share).toFixed(0)} per s`,
    perSecond(served),
    within(served, 0.5),
    within(served, 0.99),
    perSecond(refused),
    within(refused, 0.99),
    Math.max(...servers.map(peakMebibytes)).toFixed(0),
  ]
  console.log(`| ${row.join(' | ')} |`)
  return done
}

async function timed(started: number): Promise<Answer> {
  const sentAt = performance.now() - started
  const status = await sendNext()
  return { sentAt, status, took: performance.now() - started - sentAt }
}

/** Refreshes a family that no other request uses, or introspects a token. Returns the status of the answer. */
async function sendNext(): Promise<number | string> {
  sent += 1
  const { port } = servers[sent % 2] ?? { port: 0 }
  const family = sent % 4 < 2 ? families.shift() : undefined
  if (family === undefined) {
    const token = accessTokens[sent % accessTokens.length]
    return (await post(port, '/token/introspection', { token })).status
  }
  const { refresh_token } = family
  const { status, text } = await post(port, '/token', { grant_type: 'refresh_token', refresh_token })
  families.push(status === 200 ? (JSON.parse(text) as Tokens) : family)
  return status
}

function post(
  port: number,
  path: string,
  form: Readonly<Record<string, string | undefined>>,
): Promise<{ readonly status: number | string; readonly text: string }> {
  return new Promise((resolve) => {
    const broken = ({ message }: Error): void => resolve({ status: message, text: '' })
    const headers = {
      authorization: basic('A', site.clients.A.secret),
      'content-type': 'application/x-www-form-urlencoded',
    }
    const outgoing = request({ host: '127.0.0.1', port, path, method: 'POST', agent, headers }, (incoming) => {
      let text = ''
      incoming.setEncoding('utf8')
      incoming.on('data', (chunk: string) => (text += chunk))
      incoming.on('end', () => resolve({ status: incoming.statusCode ?? 0, text }))
      incoming.on('error', broken)
    })
    outgoing.on('error', broken)
    outgoing.end(encode(form))
  })
}

/** Returns the second of a phase in which the median is no longer more than twice that of an earlier phase. */
function recoveredAfter(before: readonly Answer[], after: readonly Answer[]): number | undefined {
  const median = (answers: readonly Answer[]) =>
    quantile(
      answers.filter(({ status }) => status === 200).map(({ took }) => took),
      0.5,
    )
  for (let second = 1; second <= seconds; second += 1) {
    const inSecond = after.filter(({ sentAt }) => Math.ceil(sentAt / 1000) === second)
    if (median(inSecond) <= 2 * median(before)) return second
  }
  return undefined
}
