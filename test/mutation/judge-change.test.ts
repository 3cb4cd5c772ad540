import { expect, test } from 'vitest'

import { createJudge } from './judge-change.ts'
import type { TestOutcome, TestRun } from './run-tests.ts'

const change = { replacements: { 'file:///a.ts': [] }, tests: ['a.test.ts', 'b.test.ts'], limitMilliseconds: 400 }
const passes: TestOutcome = { status: 'passed', milliseconds: 99, ran: [], failures: [], output: '' }
const hangs: TestOutcome = { ...passes, status: 'timeout' }
const failsIn = (...files: readonly string[]): TestOutcome => ({
  ...passes,
  status: 'failed',
  failures: files.map((file) => ({ file, title: 'rejects' })),
})

/** Creates a judge whose tests have these outcomes with and without the change. The last one repeats. */
function judgeAfter(withChange: TestOutcome, ...without: readonly TestOutcome[]) {
  const unchanged: TestRun[] = []
  const isEdited = { now: false }
  const judge = createJudge({
    isEdited: () => isEdited.now,
    run: (run) => {
      if (run.replacements !== undefined) return Promise.resolve(withChange)
      unchanged.push(run)
      return Promise.resolve(without[unchanged.length - 1] ?? without.at(-1) ?? passes)
    },
  })
  return { judge: () => judge(change), unchanged, isEdited }
}

test('a change that no test notices survives, and nothing is repeated', async () => {
  const { judge, unchanged } = judgeAfter(passes)

  expect(await judge()).toEqual({ status: 'survived', killer: '' })
  expect(unchanged).toEqual([])
})

test('a failure kills a change if the tests up to it pass without the change', async () => {
  const { judge, unchanged } = judgeAfter(failsIn('a.test.ts'))

  expect(await judge()).toEqual({ status: 'killed', killer: 'a.test.ts: rejects' })
  expect(unchanged).toEqual([{ tests: ['a.test.ts'], limitMilliseconds: 400, stopAtFirstFailure: true }])
})

test('a failure of a later file repeats the files before it too', async () => {
  const { judge, unchanged } = judgeAfter(failsIn('b.test.ts'))

  await judge()

  expect(unchanged.map(({ tests }) => tests)).toEqual([change.tests])
})

test('an error outside of the tests repeats all of them', async () => {
  const { judge, unchanged } = judgeAfter(failsIn())

  expect(await judge()).toEqual({ status: 'killed', killer: 'an error outside of the tests' })
  expect(unchanged.map(({ tests }) => tests)).toEqual([change.tests])
})

test.each([
  ['fail', failsIn('a.test.ts')],
  ['fail outside of a test', failsIn()],
  ['hang', hangs],
])('a change is unclear if the tests %s without it', async (_, without) => {
  expect(await judgeAfter(failsIn('a.test.ts'), without).judge()).toMatchObject({ status: 'unclear' })
})

test('tests that have passed without a change once are not repeated, and others are', async () => {
  const { judge, unchanged } = judgeAfter(failsIn('a.test.ts'), failsIn('a.test.ts'), passes)

  const statuses = [await judge(), await judge(), await judge()].map(({ status }) => status)

  expect(statuses).toEqual(['unclear', 'killed', 'killed'])
  expect(unchanged).toHaveLength(2)
})

test.each([
  ['killed', 'they are fast without it', passes],
  ['unclear', 'they are slow without it', { ...passes, milliseconds: 100 }],
  ['unclear', 'they fail without it', failsIn('a.test.ts')],
  ['unclear', 'they hang without it', hangs],
])('a change that makes tests hang is %s if %s', async (status, _, without) => {
  expect(await judgeAfter(hangs, without).judge()).toEqual({ status, killer: 'timeout' })
})

test.each([
  ['survives', passes],
  ['is noticed', failsIn('a.test.ts')],
  ['hangs', hangs],
])('a change that %s while the tree is edited is unclear', async (_, withChange) => {
  const { judge, isEdited } = judgeAfter(withChange)
  isEdited.now = true

  expect(await judge()).toEqual({ status: 'unclear', killer: 'the tree was edited' })
})
