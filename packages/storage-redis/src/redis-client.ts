/** The methods that this package calls on a node-redis client, pool, cluster or sentinel (`redis`, from 6.0). */
export interface NodeRedisClient {
  evalSha(sha1: string, options: ScriptInput): Promise<unknown>
  eval(script: string, options: ScriptInput): Promise<unknown>
}

/** The methods that this package calls on an ioredis `Redis` or `Cluster` (from 6.0). */
interface IoRedisClient {
  evalsha(sha1: string, keyCount: number, ...keysAndArguments: string[]): Promise<unknown>
  eval(script: string, keyCount: number, ...keysAndArguments: string[]): Promise<unknown>
}

/** A connected client. The host configures, connects, monitors and closes it. */
export type RedisClient = NodeRedisClient | IoRedisClient

interface ScriptInput {
  keys: string[]
  arguments: string[]
}

/** Sends the commands EVALSHA and EVAL. Each command runs a script on one key. */
export interface Evaluator {
  bySha1(sha1: string, key: string, args: readonly string[]): Promise<unknown>
  byText(script: string, key: string, args: readonly string[]): Promise<unknown>
}

/** Adapts either kind of client to one interface. */
export function evaluatorOf(client: RedisClient): Evaluator {
  if ('evalSha' in client) {
    return {
      bySha1: (sha1, key, args) => client.evalSha(sha1, { keys: [key], arguments: [...args] }),
      byText: (script, key, args) => client.eval(script, { keys: [key], arguments: [...args] }),
    }
  }
  return {
    bySha1: (sha1, key, args) => client.evalsha(sha1, 1, key, ...args),
    byText: (script, key, args) => client.eval(script, 1, key, ...args),
  }
}
