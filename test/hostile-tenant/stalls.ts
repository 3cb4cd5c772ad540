import type { Server } from 'node:http'

/** The stalls of the event loop of a process since its last report. */
export interface Stalls {
  /** The longest time for which the event loop ran nothing else, in milliseconds. Other processes can cause it too. */
  readonly longest: number
  /**
   * The processor time, in milliseconds, of the main thread in each round of the event loop above `longestRound`, without
   * that of the token requests of the round. A busy machine does not increase it much: time in which the thread waits for
   * a processor or for the disk does not count.
   */
  readonly rounds: readonly number[]
}

/** The most milliseconds of processor time that the server may use before another request has its turn. */
export const longestRound = 50

/** Measures the stalls of this process, and responds to each message of its parent with those since the last message. */
export function reportStalls(listener: Server): void {
  let rounds: number[] = []
  let longest = 0
  let tokenRequests = 0
  listener.on('request', ({ url }) => {
    if (url === '/token') tokenRequests += 1
  })
  let started = performance.now()
  let used = usedByThread()
  setInterval(() => {
    const now = performance.now()
    const usedNow = usedByThread()
    longest = Math.max(longest, now - started - interval)
    const ofOthers = usedNow - used - tokenRequests * ofTokenRequest
    if (ofOthers > longestRound) rounds.push(ofOthers)
    started = now
    used = usedNow
    tokenRequests = 0
  }, interval)
  process.on('message', () => {
    process.send?.({ longest, rounds } satisfies Stalls)
    rounds = []
    longest = 0
  })
}

/** In milliseconds. */
const interval = 5

/** The milliseconds of processor time that a token request takes. After a stall, one round answers many of them. */
const ofTokenRequest = 2

function usedByThread(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}
