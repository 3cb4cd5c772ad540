import type { Site } from '../site.ts'
import type { Lane, Reply } from './lane.ts'

/** One flow on one connection, from its first request to its last answer. It throws when an answer is not the expected one. */
export type Flow = (lane: Lane) => Promise<void>

/** What is asked of a server. */
export interface Workload {
  /** How many requests a flow is. */
  readonly requests: number
  /** Obtains what the flows need, such as tokens, over the lanes, and makes one flow for each of them. */
  prepare(site: Site, lanes: readonly Lane[]): Promise<readonly Flow[]>
}

/** What a flow throws: the answer, as much of it as is read. */
export const notExpected = ({ head, body }: Reply): Error => new Error(`Not expected: ${head}\n${body.slice(0, 1000)}`)

/** The value, which a server must have. */
export function offered<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error('The server does not offer what this workload asks for.')
  return value
}
