import { StorageUnavailableError } from '@mintmark/storage-interface'

import { evaluatorOf, type Evaluator, type RedisClient } from './redis-client.ts'

/** The answer of a script: an outcome, and the values that belong to it. */
type ScriptReply = readonly [outcome: string, ...values: (string | null)[]]

/**
 * Runs a Lua script on one key.
 * @throws StorageUnavailableError when Redis cannot answer now, or not in time.
 */
export type RunScript = (script: string, key: string, args: readonly (string | number)[]) => Promise<ScriptReply>

/** @param timeoutMilliseconds how long to wait for an answer. */
export function createScriptRunner(client: RedisClient, timeoutMilliseconds: number): RunScript {
  const evaluator = evaluatorOf(client)
  const digests = new Map<string, Promise<string>>()

  const sha1Of = (script: string): Promise<string> => {
    const known = digests.get(script) ?? sha1(script)
    digests.set(script, known)
    return known
  }

  return async (script, key, args) => {
    const call = { script, sha1: await sha1Of(script), key, args: args.map(String) }
    const reply = await withTimeout(timeoutMilliseconds, evaluate(evaluator, call)).catch((thrown: unknown) => {
      throw toStorageError(thrown)
    })
    return readReply(reply)
  }
}

interface ScriptCall {
  readonly script: string
  readonly sha1: string
  readonly key: string
  readonly args: readonly string[]
}

/**
 * Calls the script by its SHA-1. A new or restarted server does not know the script: it is then sent the text, which it
 * caches.
 */
async function evaluate(evaluator: Evaluator, { script, sha1, key, args }: ScriptCall): Promise<unknown> {
  try {
    return await evaluator.bySha1(sha1, key, args)
  } catch (thrown) {
    if (!(thrown instanceof Error) || !thrown.message.startsWith('NOSCRIPT')) throw thrown
    return evaluator.byText(script, key, args)
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
