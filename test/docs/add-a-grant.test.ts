import { createConnectedApps } from '@mintmark/core'
import { epochSeconds, userId } from '@mintmark/storage-interface'
import { createMemoryStorage } from '@mintmark/storage-interface/memory'
import * as openid from 'openid-client'
import { beforeAll, expect, it } from 'vitest'

import { createServer } from '../../docs/snippets/add-a-grant/server.ts'
import { addAnn, configAt, sendTo } from './client-at-app.ts'

const storage = createMemoryStorage({ issuer: 'https://login.example' })
const { server, clientSecret } = await createServer(storage, 'A'.repeat(43))
let kiosk: openid.Configuration
beforeAll(async () => {
  await addAnn(storage)
  kiosk = await configAt(storage.issuer, { clientId: 'kiosk', clientSecret, send: sendTo(server) })
})

const request = (grant: string, parameters: Readonly<Record<string, string>>) =>
  openid.genericGrantRequest(kiosk, `urn:example:grant-type:${grant}`, parameters)

it('lists the grants in discovery, and exchanges a voucher for one access token (RFC 6749 §4.5)', async () => {
  const tokens = await request('voucher', { voucher: 'gift-1' })

  expect(kiosk.serverMetadata().grant_types_supported).toContain('urn:example:grant-type:voucher')
  expect(tokens).toMatchObject({ scope: 'films.watch', expires_in: 300 })
  expect(tokens.refresh_token).toBeUndefined()
  await expect(request('voucher', { voucher: 'gift-1' })).rejects.toMatchObject({ error: 'invalid_grant' })
})

it('exchanges a badge for tokens about its user, and deactivating the user revokes them', async () => {
  const { access_token: token, id_token: idToken } = await request('badge', { badge: 'badge-of-ann' })
  const before = await server.accessToken(token)
  const [app] = await createConnectedApps({ storage }).list('user-1')

  await storage.users.deactivate(userId('user-1'), epochSeconds(Date.now() / 1000))

  expect([before?.subject, app?.clientId, idToken]).toEqual(['user-1', 'kiosk', expect.any(String)])
  expect(await server.accessToken(token)).toBeUndefined()
  await expect(request('badge', { badge: 'badge-of-ann' })).rejects.toMatchObject({ error: 'invalid_grant' })
  await expect(request('badge', { badge: 'forged' })).rejects.toMatchObject({ error: 'invalid_grant' })
})
