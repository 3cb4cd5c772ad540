import type { JsonObject, ScimStorage } from '@mintmark/storage-interface'
import type { ListedUserRecord } from '@mintmark/storage-interface/stores'
import fc from 'fast-check'
import { expect, test } from 'vitest'

import { defineResourceType, defineSchema, type AttributeOptions, type ResourceType } from '../../src/index.ts'
import { enterpriseUserSchema, userSchema } from '../../src/engine.ts'
import { aBadgeSchema, aUserBody, badgeUrn } from '../arbitraries/user-body.ts'
import { idOf, startScim, type ScimUnderTest } from '../fixtures/scim-under-test.ts'

test('law: cached text equals the rendered resource, whichever schemas stored and show it', async () => {
  await fc.assert(
    fc.asyncProperty(aBadgeSchema(), aBadgeSchema(), aUserBody(), aUserBody(), async (before, now, first, second) => {
      const writer = await startScim({ userType: typeOf(before), toleranceProfile: 'all' })
      const created = await writer.send({ method: 'POST', path: '/Users', body: first })
      const id = idOf(created)

      const ready = await answersOf(writer, id)
      expect(ready).toEqual(await answersOf(writer.beside({ storage: forgetful(writer.storage) }), id))
      if (!showsWritten(before)) expect(ready[0]).toEqual(created.body)

      // Another server shows and writes the same rows.
      const other = writer.beside({ userType: typeOf(now) })
      const context = writer.beside({ userType: typeOf(now), storage: forgetful(writer.storage) })
      expect(await answersOf(other, id)).toEqual(await answersOf(context, id))
      const put = { method: 'PUT', path: `/Users/${id}`, body: second }
      const replaced = await other.send(put)
      expect(replaced.status).toBe(200)
      if (!showsWritten(now)) expect(replaced.body).toEqual((await answersOf(context, id))[0])
      expect(await answersOf(other, id)).toEqual(await answersOf(context, id))
      expect((await other.send(put)).body).toEqual(replaced.body)
      expect((await context.send(put)).body).toEqual(replaced.body)
    }),
    { numRuns: 60 },
  )
}, 60_000)

/** Whether the response to a write may have more than a GET (RFC 7643 §7 returned). */
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

/** The user alone, in a list, and with other attributes. */
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

/** The same rows without the name of their form: all text is read, as it is of rows that are older than the name. */
function forgetful(storage: ScimStorage): ScimStorage {
  const { provisionedUsers } = storage
  const forget = <Record extends ListedUserRecord>(record: Record): Record => ({ ...record, resourceForm: undefined })
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
