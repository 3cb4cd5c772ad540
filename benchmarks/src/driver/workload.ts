import type { Site } from '../site.ts'
import type { Lane, Reply } from './lane.ts'

/**
 * Runs one flow on one connection, from its first request to its last response. Throws if a response is unexpected.
 */
export type Flow = (lane: Lane) => Promise<void>

/** A kind of load on a server. */
export interface Workload {
  /** The number of requests per flow. */
  readonly requests: number
  /** Prepares data, such as tokens, through the lanes. Returns one flow for each lane. */
  prepare(site: Site, lanes: readonly Lane[]): Promise<readonly Flow[]>
}

/** Creates the error that a flow throws for an unexpected response, with the beginning of the response. */
export const unexpectedReply = ({ head, body }: Reply): Error =>
  new Error(`Unexpected response: ${head}\n${body.slice(0, 1000)}`)

/** Returns the value, or throws if the server does not provide it. */
export function requireValue<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error('The server does not provide a value that this workload needs.')
  return value
}
