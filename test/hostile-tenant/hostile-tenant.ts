// Runs the attacks of a hostile tenant next to another tenant, which only requests tokens: `pnpm stress hostile-tenant [--quick]
// [--engine sqlite] [--case part-of-its-name]`. Prints the latencies of the other tenant and the load of the server, and
// exits with 1 if token requests took too long or failed, if the server used too much memory or too many connections, or if
// it blocked its event loop repeatedly.
import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { cpus, loadavg } from 'node:os'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

import { Client } from 'pg'

import { chosenName, runCommand, selectNamed } from '../../scripts/command-words.ts'
import { startPostgres } from '../../packages/storage-sql/test/support/postgres-server.ts'
import { forgetPeak, peakMebibytes } from '../support/process-memory.ts'
import { quantile } from '../support/quantile.ts'
import { hostileCases } from './hostile-cases.ts'
import type { Measured, ProbeConfig } from './probe-process.ts'
import { createPostgresDatabase, createSqliteDatabase, type HostileDatabase, type Scale } from './hostile-database.ts'
import { longestRound, type Stalls } from './stalls.ts'
import type { HostileCase, Tenant } from './tenant-requests.ts'

const { isQuick, engines, chosen } = await runCommand(
  'Write pnpm stress hostile-tenant [--quick] [--engine sqlite|postgres] [--case PART OF A NAME].',
  (args) => {
    const { values } = parseArgs({
      args,
      options: {
        quick: { type: 'boolean', default: false },
        engine: { type: 'string', multiple: true, default: ['sqlite', 'postgres'] },
        case: { type: 'string', multiple: true, default: [''] },
      },
    })
    return {
      isQuick: values.quick,
      engines: values.engine.map((engine) => chosenName('--engine', ['sqlite', 'postgres'], engine)),
      chosen: selectNamed('case', hostileCases, values.case),
    }
  },
)

const scale: Scale = isQuick
  ? { users: 5000, written: 5000, groups: 100, memberships: 1000, typed: 5000, connections: 200, duration: 1500 }
  : {
      users: 100_000,
      written: 20_000,
      groups: 1000,
      memberships: 5000,
      typed: 60_000,
      connections: 1500,
      duration: 8000,
    }
/**
 * `p99`: of all token requests of another tenant during a case, in milliseconds. `stalls`: how many rounds of the event loop
 * may use more processor time than `longestRound`; a single one can be a collection of garbage. `backends`: the size of
 * the server's pool.
 */
const target = { p99: 100, residentMegabytes: 512, stalls: 2, backends: 8 }

const quiet: HostileCase = { name: 'no attack', attacks: () => [async () => (await pause(200), 'nothing')] }

async function play(engine: string, hostile: HostileDatabase): Promise<void> {
  console.log(
    `\n| ${engine}: case | answers | POST /token p50 | p99 | max | with refresh p99 | stall | rounds > ${longestRound} ms of CPU | RSS MB | backends |`,
  )
  console.log('|---|---|---|---|---|---|---|---|---|---|')
  const backends = hostile.database.engine === 'postgres' ? await countBackends(hostile.database.url) : undefined
  let isBusy = false
  for (const each of [quiet, ...chosen]) {
    // A new process for each case, so that its memory is measured alone.
    const server = await startProcess(
      each.isBare === true ? 'bare-server-process.ts' : 'hostile-server-process.ts',
      hostile.database,
    )
    const port = Number(await firstLine(server))
    const secrets = { A: hostile.clients.A.secret, M: hostile.clients.M.secret }
    const probe = await startProbe({ port, secrets, isBare: each.isBare === true })
    try {
      const tenant = { port, provider: 'hostile', secret: hostile.secret, smallSecret: hostile.smallSecret, scale }
      await each.prepare?.(tenant)
      await ask<Measured>(probe)
      await ask<Stalls>(server)
      forgetPeak(server)
      backends?.start()
      const answers = await attack(each, tenant)
      const measured = await ask<Measured>(probe)
      if (each === quiet) isBusy = p99Of(measured) > target.p99 / 2
      report(each.name, answers, {
        measured,
        isBusy,
        stalls: await ask<Stalls>(server),
        residentMegabytes: peakMebibytes(server),
        backends: backends?.most(),
      })
    } finally {
      await stop(probe)
      await stop(server)
    }
  }
  await backends?.close()
  await hostile.close()
}

/** Sends all requests of the case at once, again and again. */
async function attack({ attacks }: HostileCase, tenant: Tenant): Promise<ReadonlyMap<string, number>> {
  const answers = new Map<string, number>()
  const ends = performance.now() + scale.duration
  const lanes = attacks(tenant).map(async (send) => {
    do {
      const answer = String(
        await send().catch((error: unknown) => String((error as NodeJS.ErrnoException).code ?? error)),
      )
      answers.set(answer, (answers.get(answer) ?? 0) + 1)
    } while (performance.now() < ends)
  })
  await Promise.all(lanes)
  return answers
}

interface Felt {
  readonly measured: Measured
  /** Whether token requests are slow without an attack. Then their latencies say nothing about an attack. */
  readonly isBusy: boolean
  readonly stalls: Stalls
  readonly residentMegabytes: number
  readonly backends: number | undefined
}

function report(name: string, answers: ReadonlyMap<string, number>, felt: Felt): void {
  const { measured, isBusy, stalls, residentMegabytes, backends } = felt
  const all = [...measured.reading, ...measured.writing]
  const missed = missedTargets(felt)
  if (missed.length > 0) process.exitCode = 1
  const cells = [
    name + (missed.length > 0 ? ' **missed**' : ''),
    [...answers].map(([answer, count]) => `${count} × ${answer}`).join(', '),
    milliseconds(quantile(measured.reading, 0.5)),
    milliseconds(quantile(measured.reading, 0.99)),
    milliseconds(Math.max(...all)),
    measured.writing.length === 0 ? '' : milliseconds(quantile(measured.writing, 0.99)),
    milliseconds(stalls.longest),
    stalls.rounds.length === 0 ? '0' : `${stalls.rounds.length}, longest ${milliseconds(Math.max(...stalls.rounds))}`,
    residentMegabytes.toFixed(0),
    String(backends ?? ''),
  ]
  console.log(`| ${cells.join(' | ')} |`)
  for (const sentence of missed) console.log(`  ${sentence}`)
  if (name === quiet.name && isBusy)
    console.log(
      `  Without an attack, one token request in a hundred took more than ${target.p99 / 2} ms. The machine is too busy, so the command does not judge latencies.`,
    )
}

const p99Of = ({ reading, writing }: Measured): number => quantile([...reading, ...writing], 0.99)

/** Returns a sentence for each target that the server missed. */
function missedTargets({ measured, isBusy, stalls, residentMegabytes, backends = 0 }: Felt): readonly string[] {
  const p99 = p99Of(measured)
  const failures = new Set(measured.failures)
  return [
    !isBusy &&
      p99 > target.p99 &&
      `One token request in a hundred took ${milliseconds(p99)} or more. The target is ${target.p99} ms.`,
    stalls.rounds.length > target.stalls &&
      `${stalls.rounds.length} rounds of the event loop used more than ${longestRound} ms of processor time each. At most ${target.stalls} may.`,
    residentMegabytes > target.residentMegabytes &&
      `The server used ${residentMegabytes.toFixed(0)} MB of memory. The target is ${target.residentMegabytes} MB.`,
    backends > target.backends &&
      `The server had ${backends} connections to the database. Its pool has ${target.backends}.`,
    ...[...failures].map((failure) => `Of the token requests, ${measured.failures.length} failed: ${failure}`),
  ].filter((sentence) => sentence !== false)
}

const milliseconds = (value: number): string => `${value.toFixed(value < 10 ? 1 : 0)} ms`

async function startProcess(file: string, argument: unknown): Promise<ChildProcess> {
  return fork(fileURLToPath(new URL(file, import.meta.url)), [JSON.stringify(argument)], {
    execArgv: ['--conditions=@mintmark/source'],
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    env: { ...process.env, NODE_ENV: 'production' },
  })
}

async function startProbe(config: ProbeConfig): Promise<ChildProcess> {
  const probe = await startProcess('probe-process.ts', config)
  await once(probe, 'message')
  return probe
}

async function firstLine(child: ChildProcess): Promise<string> {
  if (child.stdout === null) throw new Error('The server has no output.')
  const { value, done } = await createInterface({ input: child.stdout })[Symbol.asyncIterator]().next()
  if (done === true) throw new Error('The server ended before it listened.')
  return value
}

async function ask<Answer>(child: ChildProcess): Promise<Answer> {
  child.send('report')
  const [answer] = (await once(child, 'message')) as [Answer]
  return answer
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill('SIGKILL')
  await exited
}

/** Counts the connections that the server process has to its database. */
async function countBackends(url: string) {
  const client = new Client({ connectionString: url })
  await client.connect()
  // Those of the observer and of whoever filled the database.
  const { rows: others } = await client.query<{ pid: number }>('SELECT pid FROM pg_stat_activity')
  let most = 0
  const observer = { isOpen: true }
  const watching = (async () => {
    while (observer.isOpen) {
      const { rows } = await client.query<{ count: number }>(
        `SELECT count(*)::int AS count FROM pg_stat_activity
         WHERE application_name = current_setting('application_name') AND pid <> ALL ($1)`,
        [others.map(({ pid }) => pid)],
      )
      most = Math.max(most, rows[0]?.count ?? 0)
      await pause(50)
    }
  })()
  return {
    start: () => void (most = 0),
    most: () => most,
    close: async () => {
      observer.isOpen = false
      await watching
      await client.end()
    },
  }
}

console.log(
  `Node ${process.versions.node}, ${cpus().length} x ${cpus()[0]?.model ?? 'unknown'}, load ${loadavg()[0]?.toFixed(1)}`,
)
if (engines.includes('sqlite')) await play('SQLite', await createSqliteDatabase(scale))
if (engines.includes('postgres')) {
  const server = await startPostgres()
  try {
    await play('PostgreSQL', await createPostgresDatabase(server.url, scale))
  } finally {
    await server.stop()
  }
}
