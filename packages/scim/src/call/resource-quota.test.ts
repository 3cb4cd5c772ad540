import { providerId } from '@mintmark/storage-interface'
import { expect, test } from 'vitest'

import { createResourceQuota } from './resource-quota.ts'

/** Creates a quota of providers who have no resources, and counts how many times a total was read. */
function countTotals(limit: number) {
  const totals: string[] = []
  const quota = createResourceQuota(limit, async (query) => {
    totals.push(query.providerId)
    return { outcome: 'listed', total: 0, records: [], next: undefined }
  })
  return { quota, totals }
}

const acme = providerId('acme')
const aResource = async () => ({})

const noKeys = async (): Promise<void> => undefined

test('a creation that fails or creates nothing does not count', async () => {
  const { quota, totals } = countTotals(20)
  await quota.create(acme, aResource, noKeys)

  for (let attempt = 0; attempt < 10; attempt += 1) {
    await quota.createUnlessFull(acme, async () => undefined)
    await expect(quota.create(acme, () => Promise.reject(new Error('taken')), noKeys)).rejects.toThrow('taken')
  }
  await quota.create(acme, aResource, noKeys)

  expect(totals).toEqual([acme])
  await quota.create(acme, aResource, noKeys)
  expect(totals).toEqual([acme, acme])
})

test('creations that run at the same time count before they have finished', async () => {
  const { quota, totals } = countTotals(20)
  await quota.create(acme, aResource, noKeys)

  await Promise.all([1, 2, 3].map(() => quota.create(acme, aResource, noKeys)))

  expect(totals).toEqual([acme, acme, acme])
})

test('reads the total again for a provider that is not among the last thousand', async () => {
  const { quota, totals } = countTotals(1000)
  const create = (name: string) => quota.create(providerId(name), aResource, noKeys)
  await create('acme')
  for (let number = 1; number < 1000; number += 1) await create(`other-${number}`)
  await create('acme')
  expect(totals).toHaveLength(1000)

  for (let number = 1000; number < 2000; number += 1) await create(`other-${number}`)
  await create('acme')

  expect(totals).toHaveLength(2001)
})
