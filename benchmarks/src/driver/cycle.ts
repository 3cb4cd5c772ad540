import type { Reply } from './lane.ts'
import { notExpected, type Flow } from './workload.ts'

/** Sends the same requests cyclically; each must be answered with 200. */
export function cycle(requests: readonly string[], isExpected: (reply: Reply) => boolean = () => true): Flow {
  let turn = 0
  return async (lane) => {
    const reply = await lane.exchange(requests[turn % requests.length] ?? '')
    turn += 1
    if (reply.status !== 200 || !isExpected(reply)) throw notExpected(reply)
  }
}
