import type { Reply } from '../../benchmarks/src/driver/lane.ts'
import { unexpectedReply } from '../../benchmarks/src/driver/workload.ts'
import type { SizedIssuer } from './sized-issuer.ts'

/** Requests of one kind, or work of a server in the background. */
export interface SizeWorkload {
  readonly name: string
  /** Prepares what is not measured. Returns the calls that are. */
  readonly prepare: (site: SizedIssuer) => Promise<readonly (() => Promise<unknown>)[]>
}

/** How often a workload is called, with another user each time. */
export const callsOfWorkload = 100

/** Calls with the numbers from 0. */
export const repeated = (call: (turn: number) => Promise<unknown>): readonly (() => Promise<unknown>)[] =>
  Array.from({ length: callsOfWorkload }, (_, turn) => () => call(turn))

/** Waits for a reply, and returns its body. @throws Error if it does not contain a text. */
export async function bodyWith(text: string, sent: Promise<Reply>): Promise<string> {
  const reply = await sent
  if (!reply.body.includes(text)) throw unexpectedReply(reply)
  return reply.body
}
