import { clientId, epochSeconds } from '@mintmark/storage-interface'
import { createMemoryStorage } from '@mintmark/storage-interface/memory'
import { describe, expect, it } from 'vitest'

import { verifyClientSecret } from './methods.ts'
import { registerClient } from './registration.ts'
import { addClientSecret, adoptClientSecret, revokePreviousClientSecrets } from './secrets.ts'

async function aClient() {
  const storage = createMemoryStorage({ issuer: 'https://as.test' })
  const deps = { storage, clock: () => epochSeconds(100) }
  const { clientSecret: first = '' } = await registerClient(
    { clientId: 'A', clientName: 'App', redirectUris: ['https://app.test/cb'] },
    deps,
  )
  const works = async (secret: string, now: number): Promise<boolean> =>
    (await verifyClientSecret(secret, await storage.clients.find(clientId('A')), epochSeconds(now))) !== undefined
  return { deps, first, works }
}

describe('client secrets', () => {
  it('accepts two secrets while a client changes from one to the other', async () => {
    const { deps, first, works } = await aClient()

    const second = await addClientSecret('A', { previousExpiresAt: 200 }, deps)

    expect(await Promise.all([works(first, 199), works(second, 199)])).toEqual([true, true])
    expect(await Promise.all([works(first, 200), works(second, 200)])).toEqual([false, true])
  })

  it('refuses a third active secret', async () => {
    const { deps } = await aClient()
    await addClientSecret('A', {}, deps)

    await expect(addClientSecret('A', {}, deps)).rejects.toMatchObject({ code: 'invalid_client_metadata' })
  })

  it('refuses to add a secret to a client that uses none (RFC 7591 §3.2.2)', async () => {
    const { deps } = await aClient()
    const redirectUris = ['https://spa.test/cb']
    await registerClient({ clientId: 'P', clientName: 'SPA', redirectUris, tokenEndpointAuthMethod: 'none' }, deps)

    await expect(addClientSecret('P', {}, deps)).rejects.toMatchObject({ code: 'invalid_client_metadata' })
    expect((await deps.storage.clients.find(clientId('P')))?.secrets).toEqual([])
  })

  it('refuses to adopt a secret for a client that uses none (RFC 7591 §3.2.2)', async () => {
    const { deps } = await aClient()
    const redirectUris = ['https://spa.test/cb']
    await registerClient({ clientId: 'P', clientName: 'SPA', redirectUris, tokenEndpointAuthMethod: 'none' }, deps)

    await expect(adoptClientSecret('P', 'Zk3vQ9xL2mN8pR5tW7yB1cD4fG6hJ0sA', deps)).rejects.toMatchObject({
      code: 'invalid_client_metadata',
    })
    expect((await deps.storage.clients.find(clientId('P')))?.secrets).toEqual([])
  })

  it('revokes all secrets except the newest at once', async () => {
    const { deps, first, works } = await aClient()
    const second = await addClientSecret('A', {}, deps)

    await revokePreviousClientSecrets('A', deps)

    expect(await Promise.all([works(first, 100), works(second, 100)])).toEqual([false, true])
  })

  it('adds only one secret when two administrators add a secret at the same time', async () => {
    const { deps, works } = await aClient()

    const outcomes = await Promise.allSettled([addClientSecret('A', {}, deps), addClientSecret('A', {}, deps)])

    const added = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []))
    expect(added).toHaveLength(1)
    expect(await works(added[0] ?? '', 100)).toBe(true)
  })

  it("replaces a client's secret with the secret that it had at another server", async () => {
    const { deps, first, works } = await aClient()
    const imported = 'Zk3vQ9xL2mN8pR5tW7yB1cD4fG6hJ0sA'

    await adoptClientSecret('A', imported, deps)

    expect(await Promise.all([works(first, 100), works(imported, 100)])).toEqual([false, true])
  })

  it('refuses to add a secret to an unknown client (RFC 7591 §3.2.2)', async () => {
    const { deps } = await aClient()

    await expect(addClientSecret('nobody', {}, deps)).rejects.toMatchObject({
      code: 'invalid_client_metadata',
      description: 'There is no such client.',
    })
  })

  it('adopts a secret of 32 characters with 12 different characters', async () => {
    const { deps, works } = await aClient()
    const imported = 'abcdefghijkl'.repeat(3).slice(0, 32)

    await adoptClientSecret('A', imported, deps)

    expect(await works(imported, 100)).toBe(true)
  })

  it.each([
    ['31 characters', 'Zk3vQ9xL2mN8pR5tW7yB1cD4fG6hJ0s'],
    ['few different characters', 'secretsecretsecretsecretsecretsecret'],
    ['11 different characters', 'abcdefghijk'.repeat(3)],
    ['a character that is not ASCII', 'Zk3vQ9xL2mN8pR5tW7yB1cD4fG6hJ0sÄ'],
  ])('refuses to adopt a secret that could be guessed: %s (RFC 6749 §10.10)', async (_, imported) => {
    const { deps, first, works } = await aClient()

    const refused = await adoptClientSecret('A', imported, deps).catch((error: unknown) => error)

    expect(refused).toMatchObject({
      code: 'invalid_client_metadata',
      description: expect.stringContaining('guessed') as string,
    })
    expect(await Promise.all([works(first, 100), works(imported, 100)])).toEqual([true, false])
  })
})
