import type { Site } from '../site.ts'
import type { Lane, Reply } from './lane.ts'

/**
 * One flow on one connection, from its first request to its last answer. It throws when an answer is not the expected
 * one.
 */
export type Flow = (lane: Lane) => Promise<void>

/** A kind of load on a server. */
export interface Workload {
  /** The number of requests per flow. */
  readonly requests: number
  /** Prepares the data of the flows, such as tokens, over the lanes, and creates one flow for each lane. */
  prepare(site: Site, lanes: readonly Lane[]): Promise<readonly Flow[]>
}

/** The error that a flow throws, with the part of the answer that was read. */
export const notExpected = ({ head, body }: Reply): Error => new Error(`Not expected: ${head}\n${body.slice(0, 1000)}`)

/** Returns the value, or throws when the server does not offer it. */
export function offered<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error('The server does not offer what this workload asks for.')
  return value
}
