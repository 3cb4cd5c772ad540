import { setTimeout as pause } from 'node:timers/promises'

import type { Reply } from '../support/send.ts'

/** One attempt of a request. */
export interface Attempt {
  /** In milliseconds of `performance.now()`. */
  readonly at: number
  /** Whether it reads, writes something that expires, such as a code, or writes something else. */
  readonly kind: 'read' | 'write' | 'expiring'
  /** The status, or `none` when the connection broke. */
  readonly status: number | 'none'
}

/** The answer to a request, and how it came about. */
export interface Answer {
  readonly reply: Reply
  /** How many attempts got no answer, or 503. Their effect is unknown. */
  readonly failures: number
  /** Milliseconds since the first attempt. */
  readonly elapsed: number
}

/** Sends a request to one server after another until one answers something other than 503. */
export type Ask = (kind: Attempt['kind'], request: (port: number) => Promise<Reply>) => Promise<Answer>

/** @param ports the ports of the servers; they may change. */
export function createAsk(ports: () => readonly number[], attempts: Attempt[]): Ask {
  let turn = 0

  return async (kind, request) => {
    const start = performance.now()
    for (let failures = 0; ; failures += 1) {
      turn += 1
      const all = ports()
      const reply = await request(all[turn % all.length] ?? 0).catch(() => undefined)
      attempts.push({ at: performance.now(), kind, status: reply?.status ?? 'none' })
      if (reply !== undefined && reply.status !== 503) return { reply, failures, elapsed: performance.now() - start }
      await pause(250)
    }
  }
}
