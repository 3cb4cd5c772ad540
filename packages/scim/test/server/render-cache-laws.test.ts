import type { JsonObject, ScimStorage } from '@mintmark/storage-interface'
import type { ListedUserRecord } from '@mintmark/storage-interface/stores'
import fc from 'fast-check'
import { expect, test } from 'vitest'

import { defineResourceType, defineSchema, type AttributeOptions, type ResourceType } from '../../src/index.ts'
import { enterpriseUserSchema, userSchema } from '../../src/engine.ts'
import { aBadgeSchema, aUserBody, badgeUrn } from '../arbitraries/user-body.ts'
import { idOf, type ScimReply, startScim, type ScimUnderTest } from '../fixtures/scim-under-test.ts'
import { rounds } from '../../../../test/support/rounds.ts'

test('law: a cached resource equals the rendered resource, whichever schemas stored and show it', async () => {
  await fc.assert(
    fc.asyncProperty(aBadgeSchema(), aBadgeSchema(), aUserBody(), aUserBody(), async (before, now, first, second) => {
      const writer = await startScim({ userType: typeOf(before), toleranceProfile: 'all' })
      const created = await writer.send({ method: 'POST', path: '/Users', body: first })
      fc.pre(isUnderstood(created))
      const id = idOf(created)

      const cached = await answersOf(writer, id)
      expect(cached).toEqual(
        await answersOf(writer.startAnother({ storage: withoutResourceForms(writer.storage) }), id),
      )
      if (!showsWritten(before)) expect(cached[0]).toEqual(created.body)

      // Another server, with a different schema, shows and writes the same users.
      const other = writer.startAnother({ userType: typeOf(now) })
      const uncached = writer.startAnother({ userType: typeOf(now), storage: withoutResourceForms(writer.storage) })
      expect(await answersOf(other, id)).toEqual(await answersOf(uncached, id))
      const put = { method: 'PUT', path: `/Users/${id}`, body: second }
      const replaced = await other.send(put)
      fc.pre(isUnderstood(replaced))
      expect(replaced.status).toBe(200)
      if (!showsWritten(now)) expect(replaced.body).toEqual((await answersOf(uncached, id))[0])
      expect(await answersOf(other, id)).toEqual(await answersOf(uncached, id))
      expect((await other.send(put)).body).toEqual(replaced.body)
      expect((await uncached.send(put)).body).toEqual(replaced.body)
    }),
    { numRuns: rounds({ fast: 15, long: 60 }) },
  )
})

/** An element of which the schema defines nothing is refused (RFC 7644 §3.12 invalidValue), so there is nothing to show. */
const isUnderstood = ({ body }: ScimReply): boolean => body?.['scimType'] !== 'invalidValue'

/** Whether the response to a write may show more attributes than a GET (RFC 7643 §7 returned). */
const showsWritten = (badge: readonly AttributeOptions[]): boolean =>
  badge.some(({ returned }) => returned === 'request')

const typeOf = (badge: readonly AttributeOptions[]): ResourceType =>
  defineResourceType({
    name: 'User',
    endpoint: '/Users',
    schema: userSchema,
    extensions: [
      enterpriseUserSchema,
      ...(badge.length === 0 ? [] : [defineSchema({ id: badgeUrn, name: 'Badge', attributes: badge })]),
    ],
  })

/** Returns the user alone, in a list, and with other selections of attributes. */
async function answersOf(
  { send }: Pick<ScimUnderTest, 'send'>,
  id: string,
): Promise<readonly (JsonObject | undefined)[]> {
  const paths = [
    `/Users/${id}`,
    '/Users',
    `/Users/${id}?excludedAttributes=emails`,
    `/Users/${id}?attributes=name,${badgeUrn}`,
  ]
  return Promise.all(paths.map(async (path) => (await send({ path })).body))
}

/** Returns the storage without `renderKey`, the cache key of a stored resource, so that the server renders every user anew. */
function withoutResourceForms(storage: ScimStorage): ScimStorage {
  const { provisionedUsers } = storage
  const forget = <Record extends ListedUserRecord>(record: Record): Record => ({ ...record, renderKey: undefined })
  return {
    ...storage,
    provisionedUsers: {
      ...provisionedUsers,
      find: async (...key) => {
        const record = await provisionedUsers.find(...key)
        return record && forget(record)
      },
      list: async (query) => {
        const outcome = await provisionedUsers.list(query)
        return outcome.outcome === 'listed' ? { ...outcome, records: outcome.records.map(forget) } : outcome
      },
    },
  }
}
