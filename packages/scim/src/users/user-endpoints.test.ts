import { createTurns } from '@mintmark/internal'
import { aProvisionedUser } from '@mintmark/storage-interface/fixtures'
import { createMemoryStorage } from '@mintmark/storage-interface/memory'
import { jsonText, type ListPage } from '@mintmark/storage-interface/stores'
import { expect, test } from 'vitest'

import { userResourceType } from '../schema/user-schema.ts'
import { listedUsers } from './user-endpoints.ts'

test('a page by index that is too large is refused before its users are rendered (RFC 7644 §3.12)', async () => {
  const storage = createMemoryStorage({ issuer: 'https://as.test' })
  for (const label of ['ada', 'bea']) await storage.provisionedUsers.insert(aProvisionedUser(label))
  const { providerId } = aProvisionedUser('any')
  const rendered: string[] = []
  const renderCache = {
    *render({ userId }: { readonly userId: string }) {
      rendered.push(userId)
      yield
      return jsonText({})
    },
    toStored: () => {
      throw new Error('A list stores nothing.')
    },
  }
  const turns = createTurns()
  const users = listedUsers({ storage, userType: userResourceType, renderCache, turns })
  const list = (page: ListPage) =>
    users.list(
      { providerId, filter: undefined, sort: undefined, page, maxBytes: 1 },
      {
        projection: userResourceType.defaultProjection,
        baseUrl: 'https://as.test',
        waitForRoom: () => Promise.resolve(),
        turns,
        signal: undefined,
      },
    )

  await expect(list({ kind: 'index', offset: 0, limit: 2 })).rejects.toMatchObject({ reason: 'page_too_large' })
  expect(rendered).toEqual([])
  expect(await list({ kind: 'cursor', after: undefined, limit: 2 })).toMatchObject({ records: [{}].map(jsonText) })
  expect(rendered).toEqual(['user-ada'])
})
