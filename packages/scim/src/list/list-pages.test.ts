import { createTurns } from '@mintmark/internal'
import { aProvisionedUser } from '@mintmark/storage-interface/fixtures'
import { createMemoryStorage } from '@mintmark/storage-interface/memory'
import { jsonText } from '@mintmark/storage-interface/stores'
import { expect, test } from 'vitest'

import { userResourceType } from '../schema/user-schema.ts'
import type { ScimCall } from '../call/scim-call.ts'
import { listedUsers } from '../users/user-endpoints.ts'
import { pageByCursor, pageByIndex } from './list-pages.ts'

test('a page by index that is too large is refused before its users are rendered (RFC 7644 §3.12)', async () => {
  const storage = createMemoryStorage({ issuer: 'https://as.test' })
  for (const label of ['ada', 'bea']) await storage.provisionedUsers.insert(aProvisionedUser(label))
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
    isCurrent: () => true,
  }
  const type = listedUsers({ storage, userType: userResourceType, renderCache })
  const searches = [{ type, filter: undefined, sort: undefined, projection: userResourceType.defaultProjection }]
  const { providerId } = aProvisionedUser('any')
  // The part of a call that a list uses.
  const call = { caller: { provider: { providerId } }, turns: createTurns() } as unknown as ScimCall
  const context = { call, onNearLimit: () => {} }
  const page = { count: 2, bytes: 1 }

  await expect(pageByIndex(searches, { ...page, offset: 0 }, context)).rejects.toMatchObject({
    reason: 'page_too_large',
  })
  expect(rendered).toEqual([])

  const position = { type: 0, after: undefined }
  expect(await pageByCursor(searches, { ...page, position }, context)).toMatchObject({ resources: [jsonText({})] })
  expect(rendered).toEqual(['user-ada'])
})
