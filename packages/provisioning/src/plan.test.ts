import { expect, it } from 'vitest'

import { planMembers } from './plan.ts'

it('plans the members of a group of a partner that has three hundred thousand others, without comparing each with each', () => {
  const wanted = Array.from({ length: 100_000 }, (_, index) => `ours-${index}`)
  const members = Array.from({ length: 300_000 }, (_, index) => ({ value: `theirs-${index}` }))

  // Thirty thousand million comparisons would take longer than a test may.
  const requests = planMembers({ id: '1', members }, wanted)

  expect(requests).toHaveLength((wanted.length + members.length) / 50)
})
