import { describe, expect, test } from 'vitest'

import { aGroup, expectRefusal, startDirectory, type Directory } from '../fixtures/directory-under-test.ts'

const bodies = {
  Users: { schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'], userName: 'renamed' },
  Groups: { ...aGroup(), displayName: 'renamed' },
} as const

type Collection = keyof typeof bodies

/** Starts a directory with a user or a group in its first version. */
async function startWithOne(collection: Collection): Promise<{ readonly directory: Directory; readonly path: string }> {
  const directory = await startDirectory(1)
  const id = collection === 'Users' ? directory.users[0] : await directory.createGroup()
  return { directory, path: `/${collection}/${id}` }
}

describe.each<Collection>(['Users', 'Groups'])('preconditions on /%s', (collection) => {
  test.each(['W/"1"', '"1"', '*', 'W/"9", W/"1"', 'W/"9",W/"1"'])(
    'If-Match: %s matches the current version (RFC 9110 §13.1.1)',
    async (tags) => {
      const { directory, path } = await startWithOne(collection)

      const reply = await directory.send({
        method: 'PUT',
        path,
        headers: { 'if-match': tags },
        body: bodies[collection],
      })

      expect(reply.status).toBe(200)
      expect(reply.headers.get('etag')).toBe('W/"2"')
    },
  )

  test.each([
    '',
    '""',
    'W/""',
    'W/"2"',
    '1',
    'w/"1"',
    'W/"11"',
    ',',
    'W/"9", W/"8"',
    'W/"9", *',
    '*, W/"9"',
    '*, *',
    '"*"',
    '"9,*,9"',
    '"9,W/"1"',
  ])('If-Match: %j does not match (RFC 9110 §13.1.1)', async (tags) => {
    const { directory, path } = await startWithOne(collection)
    const versionMismatch = { status: 412, reason: 'version_mismatch' } as const

    for (const method of ['PUT', 'DELETE']) {
      await expectRefusal(
        directory,
        () => directory.send({ method, path, headers: { 'if-match': tags }, body: bodies[collection] }),
        versionMismatch,
      )
    }
  })

  test.each([
    '*',
    'W/"1"',
    '"1"',
    'W/"9", W/"1"',
    '*, *',
    'W/"9", *',
    '*, W/"9"',
    'W/*',
    '1',
    'w/"1"',
    'W/ "1"',
    'W/"9" W/"8"',
    'W/"9"x',
    'W/"9',
    '"',
    '"9,W/"1"',
  ])('every write with If-None-Match: %s is refused (RFC 9110 §13.1.2)', async (tags) => {
    const { directory, path } = await startWithOne(collection)
    const versionMismatch = { status: 412, reason: 'version_mismatch' } as const

    for (const method of ['PUT', 'PATCH', 'DELETE']) {
      await expectRefusal(
        directory,
        () => directory.send({ method, path, headers: { 'if-none-match': tags }, body: bodies[collection] }),
        versionMismatch,
      )
    }
  })

  test.each(['W/"9"', '"9,*,9"', 'W/"9" , "8"', ',"9",,', '"9", , "8"', '', '"*"'])(
    'If-None-Match: %j lists other versions, and the write succeeds (RFC 9110 §13.1.2)',
    async (tags) => {
      const { directory, path } = await startWithOne(collection)
      const headers = { 'if-none-match': tags }

      const reply = await directory.send({ method: 'PUT', path, headers, body: bodies[collection] })

      expect(reply.status).toBe(200)
      expect(reply.headers.get('etag')).toBe('W/"2"')
    },
  )

  test.each(['*, *', 'W/"9", *', '1', '"'])(
    'a GET with the malformed If-None-Match: %s returns the resource (RFC 9110 §13.1.2)',
    async (tags) => {
      const { directory, path } = await startWithOne(collection)

      expect((await directory.send({ path, headers: { 'if-none-match': tags } })).status).toBe(200)
    },
  )

  test('a 304 contains the location and the version (RFC 9110 §15.4.5)', async () => {
    const { directory, path } = await startWithOne(collection)
    const whole = await directory.send({ path })

    const reply = await directory.send({ path, headers: { 'if-none-match': '*' } })

    expect(reply).toMatchObject({ status: 304, body: undefined })
    for (const name of ['etag', 'content-location', 'cache-control'])
      expect(reply.headers.get(name)).toBe(whole.headers.get(name))
    expect(reply.headers.get('content-location')).toContain(path)
  })
})
