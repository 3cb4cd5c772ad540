import { comparisonsOf } from '@mintmark/storage-interface/stores'
import { expect, test } from 'vitest'

import { summarizeRefusal } from '../../test/fixtures/refused.ts'
import { parseFilter } from '../filter/parse-filter.ts'
import { resolveFilter } from '../filter/resolve-filter.ts'
import { userResourceType } from '../schema/user-schema.ts'
import { toStorageFilter } from './searchable-filter.ts'

test('accepts as many rewritten comparisons of meta.location as a filter may have, and not one more', () => {
  const searched = { resourceType: userResourceType, locationPrefix: 'https://as.test/Users/' }
  const rewritten = (parts: number) =>
    toStorageFilter(resolveFilter(parseFilter('meta.location ew "0"'), userResourceType), searched, { parts })
  const filter = rewritten(1000)
  if (typeof filter === 'boolean') throw new TypeError('The filter was not rewritten to comparisons')
  const comparisons = comparisonsOf(filter, { list: 0, equalities: 'each' })

  expect(comparisons).toBeGreaterThan(1)
  expect(rewritten(comparisons)).toEqual(filter)
  expect(summarizeRefusal(() => rewritten(comparisons - 1))).toContain('filter_too_large')
})
