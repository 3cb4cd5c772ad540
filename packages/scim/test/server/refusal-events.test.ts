import { inspect } from 'node:util'

import { StorageUnavailableError } from '@mintmark/storage-interface'
import { expect, test } from 'vitest'

import { aGroup, patchOp, startDirectory } from '../fixtures/directory-under-test.ts'

const core = 'urn:ietf:params:scim:schemas:core:2.0:User'

test.each([
  ['a body that is not JSON', { method: 'POST', path: '/Users', body: '{"password": hunter2}' }, 'body_malformed'],
  [
    'a filter with a malformed string',
    { path: `/Users?filter=${encodeURIComponent('userName eq "hunter2\u0001"')}` },
    'filter_value_malformed',
  ],
  [
    'a path with a malformed string',
    {
      method: 'PATCH',
      path: '/Users/ID',
      body: { schemas: [patchOp], Operations: [{ op: 'remove', path: 'emails[value eq "hunter2\u0001"]' }] },
    },
    'path_syntax',
  ],
  [
    'a value of the wrong type',
    { method: 'POST', path: '/Users', body: { schemas: [core], userName: { hunter2: 1 } } },
    'value_type',
  ],
])('no event contains the refused input, even where a parser quotes it: %s', async (_, sent, reason) => {
  const directory = await startDirectory(1)
  const [id = ''] = directory.users

  await directory.send({ ...sent, path: sent.path.replace('ID', id) })

  expect(directory.lastReason()).toBe(reason)
  expect(inspect(directory.events, { depth: 20, showHidden: true })).not.toMatch(/hunter2|unter2/)
})

test('the event of an internal error contains its cause', async () => {
  const directory = await startDirectory(0)
  const failure = new StorageUnavailableError('The disk is full.')
  directory.failWith(failure)

  await directory.send({ method: 'POST', path: '/Groups', body: aGroup() })

  expect(directory.events.at(-1)).toMatchObject({
    type: 'request.refused',
    status: 503,
    reason: 'storage_unavailable',
    cause: failure,
  })
})

test.each([
  ['a request without credentials', { path: '/Users', authorization: undefined }],
  ['a method that is not allowed', { method: 'PUT', path: '/Users' }],
  ['an unknown path', { path: '/Nothing' }],
])('the refusal of %s has the correlation id of its event in X-Correlation-Id', async (_, sent) => {
  const directory = await startDirectory(0)

  const reply = await directory.send(sent)

  expect(directory.events.at(-1)).toMatchObject({
    type: 'request.refused',
    correlationId: reply.headers.get('x-correlation-id'),
  })
})

test.each(['wrong', 'mmscim_T1_short'])(
  'a server that accepts no access tokens blames the form of the secret for %j, and not an access token',
  async (secret) => {
    const directory = await startDirectory(0)
    const before = directory.dump()

    const { status } = await directory.send({ path: '/Users', authorization: `Bearer ${secret}` })

    expect([status, directory.lastReason(), directory.dump()]).toEqual([401, 'secret_malformed', before])
  },
)
