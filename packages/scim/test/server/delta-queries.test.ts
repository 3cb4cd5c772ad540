import { describe, expect, test } from 'vitest'

import { userSchema } from '../../src/engine.ts'
import { startDirectory, type Directory } from '../fixtures/directory-under-test.ts'
import { idOf } from '../fixtures/scim-under-test.ts'
import { idsOf, namesOf, resourcesOf } from '../fixtures/users-under-test.ts'

const second = Date.parse('2026-09-21T14:13:20.000Z')

describe('a client that queries changes', () => {
  test.each(['gt', 'ge'])(
    'sees a change in the same second as its last request when it filters by lastModified %s the latest value read (RFC 7644 §3.4.2.2)',
    async (operator) => {
      const directory = await startDirectory(0)
      await create(directory, 'first')
      const [first] = resourcesOf(await list(directory, `meta.lastModified gt "2026-09-21T14:00:00Z"`))
      const { lastModified } = (first ?? {})['meta'] as { readonly lastModified: string }

      await create(directory, 'second')

      expect(namesOf(await list(directory, `meta.lastModified ${operator} "${lastModified}"`))).toContain('second')
    },
  )

  test.each([1, 500, 999])(
    'sees a change in the same second as its last request when it filters by its own clock, %i ms into the second (RFC 7644 §3.4.2.2)',
    async (milliseconds) => {
      const directory = await startDirectory(0)
      await create(directory, 'first')
      const asked = new Date(second + milliseconds).toISOString()

      await create(directory, 'second')

      for (const filter of [`meta.lastModified gt "${asked}"`, `active eq true and meta.lastModified ge "${asked}"`]) {
        expect(namesOf(await list(directory, filter))).toContain('second')
      }
    },
  )

  test('does not see resources of earlier seconds with gt, nor resources of the same second with lt (RFC 7644 §3.4.2.2)', async () => {
    const directory = await startDirectory(0)
    await create(directory, 'first')
    directory.clock.advance(1)
    await create(directory, 'second')
    const at = new Date(second + 1000).toISOString()

    expect(namesOf(await list(directory, `meta.lastModified gt "${at}"`))).toEqual(['second'])
    expect(namesOf(await list(directory, `meta.lastModified lt "${at}"`))).toEqual(['first'])
    expect(namesOf(await list(directory, `meta.created le "${at}" and not (meta.created ge "${at}")`))).toEqual([
      'first',
    ])
  })

  test.each([undefined, 'meta.lastModified', 'displayName'])(
    'misses nobody on pages by cursor sorted by %s, while users that it has read change (RFC 9865 §2)',
    async (sortBy) => {
      const directory = await startDirectory(0)
      const names = Array.from({ length: 30 }, (_, index) => `name ${index}`)
      for (const name of names) {
        directory.clock.advance(1)
        await create(directory, name)
      }
      const page = (cursor: string) =>
        directory.send({
          path: `/Users?${new URLSearchParams({
            filter: 'meta.lastModified ge "2026-09-21T14:00:00Z"',
            ...(sortBy === undefined ? {} : { sortBy }),
            count: '10',
            cursor,
          }).toString()}`,
        })

      const seen = new Set<string>()
      let cursor: unknown = ''
      for (let pages = 0; typeof cursor === 'string' && pages < 10; pages += 1) {
        const reply = await page(cursor)
        directory.clock.advance(1)
        for (const id of idsOf(reply).slice(0, pages < 3 ? 3 : 0)) await rename(directory, id)
        for (const name of namesOf(reply)) seen.add(name)
        cursor = reply.body?.['nextCursor']
      }

      expect(names.filter((name) => !seen.has(name))).toEqual([])
    },
  )

  test('distinguishes two changes in one second by their entity tags (RFC 7644 §3.14)', async () => {
    const directory = await startDirectory(0)
    const id = await create(directory, 'first')
    const tags = []
    for (const title of ['one', 'two']) {
      const body = { schemas: [userSchema.id], userName: 'first', title }
      tags.push((await directory.send({ method: 'PUT', path: `/Users/${id}`, body })).headers.get('etag'))
    }

    expect(new Set(tags).size).toBe(2)
  })
})

const create = async (directory: Directory, name: string): Promise<string> =>
  idOf(
    await directory.send({
      method: 'POST',
      path: '/Users',
      body: { schemas: [userSchema.id], userName: name, displayName: name },
    }),
  )

const rename = (directory: Directory, id: string) =>
  directory.send({
    method: 'PATCH',
    path: `/Users/${id}`,
    body: {
      schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
      Operations: [{ op: 'replace', path: 'displayName', value: 'zzz' }],
    },
  })

const list = (directory: Directory, filter: string) =>
  directory.send({ path: `/Users?filter=${encodeURIComponent(filter)}` })
