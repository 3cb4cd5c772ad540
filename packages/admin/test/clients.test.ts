import { clientId } from '@mintmark/storage-interface'
import { expect, it } from 'vitest'

import { expectRefused, startAdmin } from './admin-under-test.ts'

const web = { clientId: 'app', clientName: 'App', redirectUris: ['https://app.test/cb'] }

it('a client is created with a secret that is shown once', async () => {
  const under = startAdmin()

  const { client, clientSecret } = await under.admin.clients.create(web)

  expect(clientSecret).toMatch(/^[\w-]{43}$/)
  expect(client).toMatchObject({
    ...web,
    version: 1,
    disabledAt: undefined,
    secrets: [{ createdAt: under.clock.now() }],
  })
  const shown = JSON.stringify([
    await under.admin.clients.read('app'),
    await under.admin.clients.list(),
    under.events,
    under.dump(),
  ])
  expect(shown).not.toContain(clientSecret)
  const digest = (await under.storage.clients.find(clientId('app')))?.secrets[0]?.digest
  expect(JSON.stringify([client, under.events, await under.admin.audit.list()])).not.toContain(digest)
})

it('rejects an identifier that a client has, or had before it was removed', async () => {
  const under = startAdmin()
  await under.admin.clients.create(web)

  await expectRefused(under, () => under.admin.clients.create(web), 'identifier_taken')
  await under.admin.clients.remove({ clientId: 'app' })
  await expectRefused(under, () => under.admin.clients.create(web), 'invalid_client_metadata')
})

it('rejects a change whose result would be invalid, and a change of another version', async () => {
  const under = startAdmin({ keys: { algorithms: ['ES256'] } })
  await under.admin.clients.create(web)
  const { client } = await under.admin.clients.update({ clientId: 'app', version: 1 }, { clientName: 'Better' })

  expect(client).toMatchObject({ clientName: 'Better', redirectUris: web.redirectUris, version: 2 })
  await expectRefused(
    under,
    () => under.admin.clients.update({ clientId: 'app', version: 1 }, { clientName: 'Late' }),
    'version_mismatch',
  )
  await expectRefused(
    under,
    () => under.admin.clients.update({ clientId: 'app' }, { redirectUris: [] }),
    'invalid_redirect_uri',
  )
  await expectRefused(
    under,
    () => under.admin.clients.update({ clientId: 'app' }, { idTokenSignedResponseAlg: 'PS256' }),
    'invalid_client_metadata',
  )
  await expectRefused(under, () => under.admin.clients.update({ clientId: 'other' }, {}), 'client_unknown')
})

it('a client is disabled, enabled and removed; an old version removes nothing', async () => {
  const under = startAdmin()
  await under.admin.clients.create(web)

  expect(await under.admin.clients.disable({ clientId: 'app' })).toMatchObject({ disabledAt: under.clock.now() })
  expect(await under.admin.clients.enable({ clientId: 'app' })).toMatchObject({ disabledAt: undefined, version: 3 })
  await expectRefused(under, () => under.admin.clients.remove({ clientId: 'app', version: 2 }), 'version_mismatch')
  await under.admin.clients.remove({ clientId: 'app', version: 3 })
  await expectRefused(under, () => under.admin.clients.read('app'), 'client_unknown')
})

it('a client can have two active secrets, not three, and the old one expires at the given time', async () => {
  const under = startAdmin()
  const { clientSecret } = await under.admin.clients.create(web)

  const second = await under.admin.clients.addSecret('app', { previousExpiresAt: under.clock.now() + 60 })

  expect(second).not.toBe(clientSecret)
  await expectRefused(under, () => under.admin.clients.addSecret('app'), 'invalid_client_metadata')
  expect((await under.admin.clients.read('app')).secrets).toMatchObject([
    { expiresAt: under.clock.now() + 60 },
    { expiresAt: undefined },
  ])
  await under.admin.clients.revokePreviousSecrets('app')
  expect((await under.admin.clients.read('app')).secrets).toHaveLength(1)
})

it('lists are read page by page, and an invalid page is rejected', async () => {
  const under = startAdmin()
  for (const id of ['c', 'a', 'b']) await under.admin.clients.create({ ...web, clientId: id })

  const first = await under.admin.clients.list({ limit: 2 })
  const second = await under.admin.clients.list({ limit: 2, after: first.next })

  expect([first, second].map(({ items }) => items.map((client) => client.clientId))).toEqual([['a', 'b'], ['c']])
  expect(second.next).toBeUndefined()
  await expectRefused(under, () => under.admin.clients.list({ limit: 0 }), 'page_invalid')
  await expectRefused(under, () => under.admin.clients.list({ limit: 201 }), 'page_invalid')
  await expectRefused(under, () => under.admin.clients.list({ after: '\u0000' }), 'page_invalid')
})
