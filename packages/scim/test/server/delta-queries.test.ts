import { describe, expect, test } from 'vitest'

import { userSchema } from '../../src/engine.ts'
import { startDirectory, type Directory } from '../fixtures/directory-under-test.ts'
import { idOf } from '../fixtures/scim-under-test.ts'
import { namesOf, resourcesOf } from '../fixtures/users-under-test.ts'

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

const list = (directory: Directory, filter: string) =>
  directory.send({ path: `/Users?filter=${encodeURIComponent(filter)}` })
