import { StorageUnavailableError } from '@mintmark/storage-interface'

import { evaluatorOf, type Evaluation, type RedisClient } from './redis-client.ts'
import type { Script } from './scripts.ts'

/** The answer of a script: an outcome, and the values that belong to it. */
type ScriptReply = readonly [outcome: string, ...values: (string | null)[]]

/**
 * Runs a Lua script on one key.
 * @throws StorageUnavailableError when Redis cannot answer now, or not in time, or when too few replicas have the write.
 */
export type RunScript = (script: Script, key: string, args: readonly (string | number)[]) => Promise<ScriptReply>

interface ScriptRunnerOptions {
  /** How long to wait for an answer. */
  readonly timeoutMilliseconds: number
  /** How many replicas must have a write before it counts as done. */
  readonly waitForReplicas: number
}

export function createScriptRunner(
  client: RedisClient,
  { timeoutMilliseconds, waitForReplicas }: ScriptRunnerOptions,
): RunScript {
  const evaluator = evaluatorOf(client)
  const digests = new Map<string, Promise<string>>()
  const inTurn = createTurns(timeoutMilliseconds)

  const sha1Of = (text: string): Promise<string> => {
    const known = digests.get(text) ?? sha1(text)
    digests.set(text, known)
    return known
  }

  /** Redis answers the caller in time that too few replicas have the write, rather than not at all. */
  const wait = { replicas: waitForReplicas, milliseconds: Math.ceil(timeoutMilliseconds / 2) }
  const evaluateConfirmed = async (evaluation: Evaluation): Promise<unknown> => {
    const { reply, replicas } = await evaluator.evaluateAndWait(evaluation, wait).catch(async (thrown: unknown) => {
      if (!hasMoved(thrown)) throw thrown
      // For two commands that are sent together, a client of a cluster does not look for the key's new master itself.
      await evaluator.evaluate({ ...evaluation, script: { text: 'return 1' }, args: [] })
      return evaluator.evaluateAndWait(evaluation, wait)
    })
    if (Number(replicas) >= waitForReplicas) return reply
    throw new StorageUnavailableError(`Of the replicas of Redis, ${Number(replicas)} confirmed the write in time.`)
  }

  return async ({ text, writes }, key, args) => {
    const call = { text, sha1: await sha1Of(text), key, args: args.map(String) }
    const run = (): Promise<unknown> =>
      writes && waitForReplicas > 0
        ? inTurn(() => evaluate(evaluateConfirmed, call))
        : evaluate((evaluation) => evaluator.evaluate(evaluation), call)
    const reply = await withTimeout(timeoutMilliseconds, run()).catch((thrown: unknown) => {
      throw toStorageError(thrown)
    })
    return readReply(reply)
  }
}

/**
 * Runs work one after the other. WAIT holds up all commands of its connection: without turns, commands would wait in the connection
 * while a replica is missing, and Redis would run them after their callers had given up.
 */
function createTurns(timeoutMilliseconds: number): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()

  return (work) => {
    let isLate = false
    const timer = setTimeout(() => (isLate = true), timeoutMilliseconds)
    const done = last.then(() => {
      clearTimeout(timer)
      if (isLate) throw new StorageUnavailableError('Earlier writes to Redis take too long.')
      return withTimeout(timeoutMilliseconds, work())
    })
    last = done.catch(() => undefined)
    return done
  }
}

/** https://redis.io/docs/latest/operate/oss_and_stack/reference/cluster-spec/#redirection-and-resharding */
const hasMoved = (thrown: unknown): boolean => thrown instanceof Error && /^(?:MOVED|ASK) /.test(thrown.message)

interface ScriptCall {
  readonly text: string
  readonly sha1: string
  readonly key: string
  readonly args: readonly string[]
}

/**
 * Calls the script by its SHA-1. A new or restarted server does not know the script: it is then sent the text, which it
 * caches.
 */
async function evaluate(
  send: (evaluation: Evaluation) => Promise<unknown>,
  { text, sha1, key, args }: ScriptCall,
): Promise<unknown> {
  try {
    return await send({ script: { sha1 }, key, args })
  } catch (thrown) {
    if (!(thrown instanceof Error) || !thrown.message.startsWith('NOSCRIPT')) throw thrown
    return send({ script: { text }, key, args })
  }
}

/** Throws if the answer takes too long. A client may wait for a lost connection without a limit. */
async function withTimeout<T>(milliseconds: number, answer: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const deadline = new Promise<never>((_resolve, reject) => {
    const late = () => reject(new StorageUnavailableError(`Redis did not answer within ${milliseconds} ms.`))
    timer = setTimeout(late, milliseconds)
  })
  try {
    return await Promise.race([answer, deadline])
  } finally {
    clearTimeout(timer)
  }
}

/** Parses the reply of a script. A reply of another shape is an error; it is never treated as "absent". */
function readReply(reply: unknown): ScriptReply {
  if (!Array.isArray(reply) || !isReply(reply)) {
    throw new TypeError(
      'A script reply is not a list of strings. The Redis client must not map replies to other types.',
    )
  }
  return reply
}

function isReply(values: unknown[]): values is [string, ...(string | null)[]] {
  return typeof values[0] === 'string' && values.every((value) => typeof value === 'string' || value === null)
}

async function sha1(text: string): Promise<string> {
  // EVALSHA identifies scripts by SHA-1; nothing depends on its strength.
  const digest = await crypto.subtle.digest('SHA-1', new TextEncoder().encode(text))
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/**
 * Classifies an error of the client. Everything that keeps Redis from answering now is an outage: a lost or closed
 * connection, a timed-out command, READONLY, CLUSTERDOWN, LOADING, MASTERDOWN, TRYAGAIN, OOM, MISCONF, NOREPLICAS,
 * BUSY, refused credentials. Only a reply that rejects the request itself is passed on: a retry would not help.
 */
function toStorageError(thrown: unknown): unknown {
  if (thrown instanceof StorageUnavailableError) return thrown
  if (thrown instanceof Error && isDefect(thrown.message)) return thrown

  return new StorageUnavailableError('Redis cannot answer now.', { cause: thrown })
}

/** Whether Redis rejected the request itself. A server with too many connections also answers `ERR`, but that is an outage. */
function isDefect(message: string): boolean {
  return /^(?:ERR|WRONGTYPE|CROSSSLOT) /.test(message) && !message.startsWith('ERR max number of clients')
}

/** Creates the error for an outcome that the script should never return. */
export function unexpectedReply(outcome: string): Error {
  return new Error(`A Redis script returned the unknown outcome "${outcome}".`)
}
