import type { AddressInfo } from 'node:net'

import { createAdministration } from '@mintmark/admin'
import { expect, it, vi } from 'vitest'

vi.stubEnv('DATABASE', ':memory:')
vi.stubEnv('SEALING_KEY', 'A'.repeat(43))
const { app, storage } = await import('../../docs/snippets/administer/server.ts')
const { clientSecret } = await import('../../docs/snippets/administer/first-client.ts')
vi.unstubAllEnvs()

it('the first client has a secret and its scopes', async () => {
  const administration = createAdministration({ storage }).as({ kind: 'host', id: 'test' })

  expect(clientSecret).toMatch(/^[\w-]{43}$/)
  expect(await administration.clients.read('back-office')).toMatchObject({
    scopes: ['admin:clients:write', 'admin:users:read'],
  })
})

it('the guide serves the OpenAPI document and rejects requests without a token', async () => {
  const listener = app.listen(0, '127.0.0.1')
  await new Promise((resolve) => listener.once('listening', resolve))
  const base = `http://127.0.0.1:${(listener.address() as AddressInfo).port}/admin/v1`

  const answers = await Promise.all([fetch(`${base}/openapi.json`), fetch(`${base}/clients`)])
  await new Promise((resolve) => listener.close(resolve))

  expect(answers.map(({ status }) => status)).toEqual([200, 401])
})
