import { createMemoryStorage } from '@mintmark/storage-interface/memory'
import { expect, it, onTestFinished, vi } from 'vitest'

import { authorize, obtainCode, redeem } from '../support/flow.ts'
import { startServer, type ServerUnderTest } from '../support/server-under-test.ts'

async function aServer(options: Parameters<typeof startServer>[0]): Promise<ServerUnderTest> {
  const site = await startServer(options)
  onTestFinished(() => site.close())
  return site
}

const codes = (site: ServerUnderTest): number => (JSON.parse(site.dump()) as { codes: unknown[] }).codes.length

it('expired rows are deleted in batches while the server is in use', async () => {
  const site = await aServer({ purge: { every: 60, batch: 2 } })
  for (let count = 0; count < 5; count += 1) await redeem(site, await obtainCode(site))
  site.clock.advance(600)

  await vi.waitFor(async () => {
    await authorize(site, {}, { cookie: '' })
    expect(codes(site)).toBe(0)
  })
})

it('a purge that fails does not fail the request', async () => {
  const storage = createMemoryStorage({ issuer: 'https://as.test' })
  const purgeExpired = () => Promise.reject(new Error('down'))
  const site = await aServer({ purge: { every: 60, batch: 2 }, storage: { ...storage, purge: { purgeExpired } } })

  expect((await authorize(site, {}, { cookie: '' })).status).toBe(303)
})

it('expired rows are kept when the option purge is off', async () => {
  const site = await aServer({ purge: false })
  await redeem(site, await obtainCode(site))
  site.clock.advance(600)
  await authorize(site, {}, { cookie: '' })

  expect(codes(site)).toBe(1)
})
