import { clientId, epochSeconds, providerId } from '@mintmark/storage-interface'
import { aClientRecord, aProvisionedUser } from '@mintmark/storage-interface/fixtures'
import { expect, it } from 'vitest'

import { startConsole, type ConsoleUnderTest } from './console-under-test.ts'

const now = epochSeconds(1_790_000_000)
const hostile = '"><img src=x onerror=alert(1)>'
const ada = aProvisionedUser('ada').userId

/** A console with an agent of the directory corp, which ada owns. */
async function start(): Promise<ConsoleUnderTest> {
  const system = startConsole()
  await system.admin('POST', '/identity-providers', { provider_id: 'corp' })
  const { storage } = system
  await storage.provisionedUsers.insert(aProvisionedUser('ada', { providerId: providerId('corp') }))
  const agent = {
    providerId: providerId('corp'),
    ownerUserId: ada,
    externalId: 'a1',
    resource: {},
    updatedAt: now,
    endedAt: undefined,
  }
  const record = aClientRecord({ clientId: clientId('triage'), clientName: hostile, origin: 'directory', agent })
  await storage.clients.insert({ ...record, disabledAt: now, agent: { ...agent, endedAt: now } })
  await storage.clients.compareAndSwap({ ...record, disabledAt: undefined }, record.version)
  return system
}

it('shows the agents of a directory with their owners, and those of a user with their directory', async () => {
  const system = await start()

  const directory = await system.open('/console/directories/corp')
  const agents = await system.open('/console/directories/corp/agents')
  const user = await system.open(`/console/users/${ada}`)

  expect(directory.text).toContain('/console/directories/corp/agents')
  expect(agents.text).toContain(`/console/users/${ada}`)
  expect(user.text).toContain('/console/directories/corp')
  for (const page of [agents, user]) {
    expect(page.text).toContain('/console/clients/triage')
    expect(page.text).toContain('Enabled')
    expect(page.text).not.toContain('<img')
  }
})

it('shows when and why an agent has ended', async () => {
  const system = await start()
  await system.admin('POST', `/users/${ada}/deactivate`)

  for (const path of ['/console/directories/corp/agents', `/console/users/${ada}`]) {
    const { text } = await system.open(path)
    expect(text).toContain('Its owner is not active')
    expect(text).toMatch(/<th scope="col">Ended<\/th>/)
  }
})

it('shows no agents to an administrator who may not see clients', async () => {
  const system = await start()
  const visitor = { scopes: 'admin:users:read admin:providers:read' }

  const user = await system.open(`/console/users/${ada}`, visitor)
  const directory = await system.open('/console/directories/corp', visitor)
  const agents = await system.open('/console/directories/corp/agents', visitor)

  expect([user.status, directory.status, agents.status]).toEqual([200, 200, 403])
  expect(user.text + directory.text).not.toMatch(/triage|\/agents/)
})
