import { expect, test } from 'vitest'

import { createTurns } from './turns.ts'

test('a turn is over after its length, and a new one begins after other work', async () => {
  const { turns, advance, runOthers } = controlled()

  expect(turns.isOver()).toBe(false)
  advance(9)
  expect(turns.isOver()).toBe(false)
  advance(1)
  expect(turns.isOver()).toBe(true)

  const waited = turns.next()
  runOthers()
  await waited

  expect(turns.isOver()).toBe(false)
})

test('requests of one round share a turn, and one of them goes on in each round', async () => {
  const { turns, advance, runOthers } = controlled()
  const order: string[] = []
  const work = async (name: string): Promise<void> => {
    for (let piece = 0; piece < 2; piece += 1) {
      if (turns.isOver()) await turns.next()
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

/** Turns of 10 milliseconds under a clock and an event loop of the test. */
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
