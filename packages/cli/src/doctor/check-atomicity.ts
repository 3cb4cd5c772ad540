// Over 250 lines: the test and the worker process that it starts are one program, so they are in one file.

import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'

import { digestSecret, randomIdentifier, randomSecret, systemRandom } from '@mintmark/internal'
import {
  type AdminStorage,
  type AuthorizationCodeRecord,
  type EpochSeconds,
  type TokenFamilyRecord,
  after,
  clientId,
  familyId,
  grantId,
  seconds,
  userId,
} from '@mintmark/storage-interface'
import type { SecretDigest } from '@mintmark/storage-interface/stores'
import { type SqlDialect, createSqlStorage } from '@mintmark/storage-sql'
import { Command } from 'commander'

import { CommandError } from '../command-error.ts'
import { withDialect } from '../config/open-storage.ts'
import type { DatabaseAddress } from '../config/settings.ts'
import type { Io } from '../io.ts'
import { type Finding, fail, ok, warn } from './target.ts'

/**
 * Checks that, when two processes present the same credentials at the same time, a code is redeemed once, a refresh
 * token is rotated once and a `jti` is accepted once (RFC 6749 §10.5, RFC 9700 §4.14.2, RFC 7523 §3). Deletes its rows
 * afterwards.
 */
export async function checkAtomicity(
  dialect: SqlDialect,
  address: DatabaseAddress,
  io: Io,
): Promise<readonly Finding[]> {
  if (address.sqlite === ':memory:') return []
  const storage = await createSqlStorage({ dialect, issuer: raceIssuer })
  const now = io.clock()
  const expiresAt = after(now, seconds(60))
  const rows = await insertRows(storage, now, expiresAt)
  try {
    const report = await race({ ...rows, address, times, now, expiresAt }, io)
    if (report === undefined)
      return [
        warn(
          'storage.race',
          'The two processes of the test did not finish.',
          'Check that another process on this machine can open the database, and run doctor again.',
        ),
      ]
    return [
      finding('storage.consume', ['won', 'replayed'], report.consumed),
      finding('storage.rotate', ['rotated', 'retried'], report.rotated),
      finding('storage.claim', ['fresh', 'seen'], report.claimed),
    ]
  } finally {
    await storage.purge.purgeExpired({ now: expiresAt, limit: 1000 })
  }
}

function finding(
  check: 'storage.consume' | 'storage.rotate' | 'storage.claim',
  [winner, loser]: readonly [string, string],
  outcomes: readonly string[],
): Finding {
  const winners = outcomes.filter((outcome) => outcome === winner).length
  const losers = outcomes.filter((outcome) => outcome === loser).length
  if (winners === 1 && losers === outcomes.length - 1)
    return ok(check, `Of ${outcomes.length} concurrent calls by two processes, exactly one returned ${winner}.`)
  if (winners <= 1)
    return warn(
      check,
      `Of ${outcomes.length} concurrent calls by two processes, ${winners} returned ${winner} and ${losers} returned ${loser}.`,
      'Run doctor again. Another doctor that runs at the same time deletes these rows.',
    )
  return fail(
    check,
    `Of ${outcomes.length} concurrent calls by two processes, ${winners} returned ${winner}, so a code or a token works more than once.`,
    'Processes do not see each other’s writes in time. Move the database to a local disk, or let all servers use the primary.',
  )
}

interface RaceRows {
  readonly code: SecretDigest
  readonly handle: SecretDigest
  readonly refreshToken: SecretDigest
  readonly jti: string
}

async function insertRows(storage: AdminStorage, now: EpochSeconds, expiresAt: EpochSeconds): Promise<RaceRows> {
  const [code, handle, refreshToken] = await Promise.all([aDigest(), aDigest(), aDigest()])
  const shared = {
    clientId: clientId(raceClient),
    grantId: grantId(randomIdentifier(systemRandom)),
    familyId: familyId(randomIdentifier(systemRandom)),
    userId: userId(raceClient),
    scopes: [],
    resources: [],
    claimsRequest: undefined,
    authentication: { authTime: now, acr: undefined, amr: [], sessionId: undefined, sessionExpiresAt: undefined },
    boundSessionId: undefined,
    possession: { kind: 'none' as const },
    authorizationDetails: [],
    organizationId: undefined,
    expiresAt,
  }
  const codeRow: AuthorizationCodeRecord = {
    ...shared,
    digest: code,
    redirectUri: 'https://doctor.invalid/',
    nonce: undefined,
    codeChallengeMethod: 'exempt',
    codeChallenge: undefined,
    issuedAt: now,
  }
  const refresh = {
    handleDigest: handle,
    currentDigest: refreshToken,
    previousDigest: undefined,
    successorSalt: undefined,
    rotatedAt: undefined,
    retriedAt: undefined,
    expiresAt,
  }
  const family: TokenFamilyRecord = { ...shared, lineage: undefined, refresh, createdAt: now, revokedAt: undefined }
  await storage.codes.insert(codeRow)
  await storage.families.insert(family)
  return { code, handle, refreshToken, jti: randomIdentifier(systemRandom) }
}

const aDigest = async (): Promise<SecretDigest> => digestSecret(randomSecret(systemRandom))

/** How many times each process presents each credential. */
const times = 20

/**
 * Lets two processes present the same credentials to one database at the same time.
 * @returns the outcomes of both, or undefined if one of them did not finish within a minute.
 */
async function race(task: Omit<RaceTask, 'name'>, io: Io): Promise<RaceReport | undefined> {
  const workers = ['a', 'b'].map((name) => startWorker({ ...task, name }, io))
  const limit = setTimeout(() => stop(workers), timeoutMilliseconds)
  try {
    const ready = await Promise.all(workers.map(({ lines }) => lines.next()))
    if (ready.some(({ done }) => done === true)) return undefined
    for (const { child } of workers) child.stdin.write('go\n')
    const reports = await Promise.all(workers.map(({ lines }) => lines.next()))
    if (reports.some(({ done }) => done === true)) return undefined
    return mergeReports(reports.map(({ value }) => JSON.parse(String(value)) as RaceReport))
  } finally {
    clearTimeout(limit)
    stop(workers)
  }
}

interface RaceWorker {
  readonly child: ChildProcessByStdio<Writable, Readable, null>
  readonly lines: AsyncIterator<string>
}

/** Starts a worker. Sends the task on standard input, because other users of the machine can see arguments. */
function startWorker(task: RaceTask, { self: [program, ...args], env, cwd }: Io): RaceWorker {
  const child = spawn(program, [...args, 'doctor-worker'], { cwd, env: { ...env }, stdio: ['pipe', 'pipe', 'ignore'] })
  const reader = createInterface({ input: child.stdout })
  // If the process cannot be started, or when it ends, closing the reader ends `lines`, so that nobody waits for them.
  for (const end of ['error', 'close'] as const) child.once(end, () => reader.close())
  child.stdin.on('error', () => {})
  child.stdin.write(`${JSON.stringify(task)}\n`)
  return { child, lines: reader[Symbol.asyncIterator]() }
}

function stop(workers: readonly RaceWorker[]): void {
  for (const { child } of workers) child.kill()
}

const mergeReports = (reports: readonly RaceReport[]): RaceReport => ({
  consumed: reports.flatMap(({ consumed }) => consumed),
  rotated: reports.flatMap(({ rotated }) => rotated),
  claimed: reports.flatMap(({ claimed }) => claimed),
})

const timeoutMilliseconds = 60_000

/**
 * Creates the command that each of the two processes runs. It prints `ready`, waits for a line, and prints the
 * outcomes.
 */
export const workerCommand = (io: Io): Command =>
  new Command('doctor-worker').description('one of the processes that doctor starts').action(async () => {
    const lines = io.lines()
    const task = await readTask(lines)
    await withDialect(task.address, 'status', async (dialect) => {
      const storage = await createSqlStorage({ dialect, issuer: raceIssuer })
      io.out('ready')
      await lines.next()
      io.out(JSON.stringify(await present(storage, task)))
    })
    await lines.return?.()
  })

async function readTask(lines: AsyncIterator<string>): Promise<RaceTask> {
  const line = await lines.next()
  if (line.done === true) throw new CommandError('This command is for internal use by mintmark doctor.')
  return JSON.parse(line.value) as RaceTask
}

async function present(storage: AdminStorage, task: RaceTask): Promise<RaceReport> {
  const { now, expiresAt } = task
  const client = clientId(raceClient)
  const successors = await Promise.all(
    Array.from({ length: task.times }, async (_, index) => digestSecret(`${task.name} ${index}`)),
  )
  const each = async (attempt: (index: number) => Promise<{ readonly outcome: string }>): Promise<readonly string[]> =>
    (await Promise.all(successors.map((_, index) => attempt(index)))).map(({ outcome }) => outcome)

  return {
    consumed: await each(() => storage.codes.consume(task.code, client, now)),
    rotated: await each((index) =>
      storage.families.rotate({
        handleDigest: task.handle,
        presentedDigest: task.refreshToken,
        clientId: client,
        successorDigest: successors[index] ?? task.refreshToken,
        successorSalt: `${task.name} ${index}`,
        expiresAt,
        now,
        retryWindow: seconds(30),
      }),
    ),
    claimed: await each(() =>
      storage.replays.markUsed({ purpose: 'client_assertion_jti', value: task.jti, expiresAt, now }),
    ),
  }
}

/** The task of a process: one line of JSON on its standard input. */
interface RaceTask {
  readonly address: DatabaseAddress
  /** Distinguishes the refresh tokens that this process creates from the tokens of the other process. */
  readonly name: string
  /** How many times the process presents each credential. */
  readonly times: number
  readonly now: EpochSeconds
  readonly expiresAt: EpochSeconds
  readonly code: SecretDigest
  readonly handle: SecretDigest
  readonly refreshToken: SecretDigest
  readonly jti: string
}

/** The outcomes of a process, in the order of its calls. */
interface RaceReport {
  readonly consumed: readonly string[]
  readonly rotated: readonly string[]
  readonly claimed: readonly string[]
}

/** The issuer of the rows of the test. No server uses it, so no server reads them. */
const raceIssuer = 'https://doctor.invalid'

/** The identifier of the client and of the user of the rows. */
const raceClient = 'doctor'
