import { expect, test } from 'vitest'

import { createTurns } from './turns.ts'

test('a turn ends after the configured time, and a new turn begins after other work has run', async () => {
  const { turns, advance, runOthers } = controlled()

  expect(turns.hasEnded()).toBe(false)
  advance(9)
  expect(turns.hasEnded()).toBe(false)
  advance(1)
  expect(turns.hasEnded()).toBe(true)

  const waited = turns.next()
  runOthers()
  await waited

  expect(turns.hasEnded()).toBe(false)
})

test('shares a turn between the requests of one round, and continues one of them in each round', async () => {
  const { turns, advance, runOthers } = controlled()
  const order: string[] = []
  const work = async (name: string): Promise<void> => {
    for (let piece = 0; piece < 2; piece += 1) {
      if (turns.hasEnded()) await turns.next()
      order.push(`${name}${piece}`)
      advance(10)
    }
  }

  const all = Promise.all([work('a'), work('b'), work('c')])
  for (let round = 0; round < 6; round += 1) {
    order.push('|')
    runOthers()
    await Promise.resolve().then(() => undefined)
  }
  await all

  expect(order.join(' ')).toBe('a0 | a1 | b0 | c0 | b1 | c1 |')
})

/** Creates turns of 10 milliseconds, with a clock and an event loop that the test controls. */
function controlled() {
  let now = 0
  let later: (() => void)[] = []
  return {
    turns: createTurns({ length: 10, now: () => now, later: (run) => void later.push(run) }),
    advance: (milliseconds: number): void => void (now += milliseconds),
    runOthers: (): void => {
      const due = later
      later = []
      for (const run of due) run()
    },
  }
}
