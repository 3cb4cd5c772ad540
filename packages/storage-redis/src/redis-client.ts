/** The methods that this package calls on a node-redis client, pool, cluster or sentinel (`redis`, from 6.0). */
export interface NodeRedisClient {
  evalSha(sha1: string, options: ScriptInput): Promise<unknown>
  eval(script: string, options: ScriptInput): Promise<unknown>
  /** Needed for `waitForReplicas`. */
  multi?(): NodeRedisPipeline
}

/** Commands that node-redis sends together on one connection. */
interface NodeRedisPipeline {
  evalSha(sha1: string, options: ScriptInput): NodeRedisPipeline
  eval(script: string, options: ScriptInput): NodeRedisPipeline
  wait(replicas: number, milliseconds: number): NodeRedisPipeline
  execAsPipeline(): Promise<unknown[]>
}

/** The methods that this package calls on an ioredis `Redis` or `Cluster` (from 6.0). */
interface IoRedisClient {
  evalsha(sha1: string, keyCount: number, ...keysAndArguments: string[]): Promise<unknown>
  eval(script: string, keyCount: number, ...keysAndArguments: string[]): Promise<unknown>
  /** Needed for `waitForReplicas`. */
  pipeline?(commands: unknown[][]): { exec(): Promise<[error: Error | null, reply: unknown][] | null> }
}

/** A connected client. The host configures, connects, monitors and closes it. */
export type RedisClient = NodeRedisClient | IoRedisClient

interface ScriptInput {
  keys: string[]
  arguments: string[]
}

/** A script by its SHA-1 or its text, with its key and arguments. */
export interface Evaluation {
  readonly script: { readonly sha1: string } | { readonly text: string }
  readonly key: string
  readonly args: readonly string[]
}

/** How many replicas must have a write, and how long to wait for them. */
interface ReplicaWait {
  readonly replicas: number
  readonly milliseconds: number
}

/** Sends the commands EVALSHA and EVAL. Each command runs a script on one key. */
export interface Evaluator {
  evaluate(evaluation: Evaluation): Promise<unknown>
  /**
   * Evaluates, and sends WAIT on the same connection before the answer arrives: on a new connection, perhaps to another
   * master, WAIT would confirm at once.
   */
  evaluateAndWait(
    evaluation: Evaluation,
    wait: ReplicaWait,
  ): Promise<{ readonly reply: unknown; readonly replicas: unknown }>
}

/** Adapts either kind of client to one interface. */
export function evaluatorOf(client: RedisClient): Evaluator {
  return 'evalSha' in client ? evaluatorOfNodeRedis(client) : evaluatorOfIoRedis(client)
}

/** Whether the client can send WAIT after a write. */
export const canWait = (client: RedisClient): boolean =>
  'evalSha' in client ? client.multi !== undefined : client.pipeline !== undefined

function evaluatorOfNodeRedis(client: NodeRedisClient): Evaluator {
  return {
    evaluate({ script, key, args }) {
      const input = { keys: [key], arguments: [...args] }
      return 'sha1' in script ? client.evalSha(script.sha1, input) : client.eval(script.text, input)
    },

    async evaluateAndWait({ script, key, args }, { replicas, milliseconds }) {
      const input = { keys: [key], arguments: [...args] }
      const pipeline = requirePipeline(client.multi?.())
      const begun = 'sha1' in script ? pipeline.evalSha(script.sha1, input) : pipeline.eval(script.text, input)
      const [reply, confirmed] = await begun.wait(replicas, milliseconds).execAsPipeline()
      return { reply, replicas: confirmed }
    },
  }
}

function evaluatorOfIoRedis(client: IoRedisClient): Evaluator {
  return {
    evaluate: ({ script, key, args }) =>
      'sha1' in script ? client.evalsha(script.sha1, 1, key, ...args) : client.eval(script.text, 1, key, ...args),

    async evaluateAndWait({ script, key, args }, { replicas, milliseconds }) {
      const command = 'sha1' in script ? ['evalsha', script.sha1] : ['eval', script.text]
      const pipeline = client.pipeline?.([
        [...command, 1, key, ...args],
        ['wait', replicas, milliseconds],
      ])
      const [evaluated, waited] = (await requirePipeline(pipeline).exec()) ?? []
      const error = evaluated?.[0] ?? waited?.[0]
      if (error !== null && error !== undefined) throw error
      return { reply: evaluated?.[1], replicas: waited?.[1] }
    },
  }
}

function requirePipeline<T>(pipeline: T | undefined): T {
  if (pipeline === undefined) throw new TypeError('This Redis client cannot send two commands together.')
  return pipeline
}
