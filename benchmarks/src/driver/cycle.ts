import type { Reply } from './lane.ts'
import { unexpectedReply, type Flow } from './workload.ts'

/** Creates a flow that sends the same requests cyclically. Each response must be 200. */
export function cycle(requests: readonly string[], isExpected: (reply: Reply) => boolean = () => true): Flow {
  let turn = 0
  return async (lane) => {
    const reply = await lane.exchange(requests[turn % requests.length] ?? '')
    turn += 1
    if (reply.status !== 200 || !isExpected(reply)) throw unexpectedReply(reply)
  }
}
