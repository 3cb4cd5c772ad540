import { expect, it } from 'vitest'

import { verdictOn } from './verdict.ts'

const client = { checks: ['signs in', 'refreshes'], expectedFailures: { refreshes: 'a known defect' } }
const refreshFails = { title: 'refreshes', failure: 'invalid_client' }

it('accepts a client whose only failure is expected', () => {
  const { problems, results } = verdictOn(client, [{ title: 'signs in' }, refreshFails])

  expect(problems).toEqual([])
  expect(results).toEqual([{ title: 'signs in' }, refreshFails])
})

it('reports a failure that is not expected', () => {
  const { problems } = verdictOn(client, [{ title: 'signs in', failure: 'no code' }, refreshFails])

  expect(problems).toEqual(['signs in: no code'])
})

it('reports a check that no longer fails', () => {
  const { problems } = verdictOn(client, [{ title: 'signs in' }, { title: 'refreshes' }])

  expect(problems).toEqual(['refreshes: passes now, remove it from expectedFailures'])
})

it('reports a check that the program skips', () => {
  const { problems } = verdictOn(client, [refreshFails])

  expect(problems).toEqual(['signs in: the program did not report it'])
})

it('reports a check that the table does not list', () => {
  const { problems } = verdictOn(client, [{ title: 'signs in' }, refreshFails, { title: 'revokes' }])

  expect(problems).toEqual(['revokes: reported, but not in the table'])
})
