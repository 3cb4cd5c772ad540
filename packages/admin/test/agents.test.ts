import { clientId, epochSeconds, providerId, type AdminStorage } from '@mintmark/storage-interface'
import { aClientRecord, aProvisionedUser } from '@mintmark/storage-interface/fixtures'
import { expect, it } from 'vitest'

import { startAdminServer, type AdminServerUnderTest } from './admin-server-under-test.ts'

const now = epochSeconds(1_790_000_000)
const corp = providerId('corp')

/** A directory with the user ada and an agent of ada that is enabled. */
async function start(): Promise<AdminServerUnderTest> {
  const system = startAdminServer()
  await system.send({ method: 'POST', path: '/identity-providers', body: { provider_id: 'corp' } })
  await system.storage.provisionedUsers.insert(aProvisionedUser('ada', { providerId: corp }))
  await anAgent(system.storage, 'triage')
  return system
}

async function anAgent({ clients }: AdminStorage, id: string): Promise<void> {
  const { userId: ownerUserId } = aProvisionedUser('ada')
  const agent = { providerId: corp, ownerUserId, externalId: id, resource: {}, updatedAt: now, endedAt: undefined }
  const record = aClientRecord({ clientId: clientId(id), clientName: `Agent ${id}`, origin: 'directory', agent })
  await clients.insert({ ...record, disabledAt: now, agent: { ...agent, endedAt: now } })
  await clients.compareAndSwap({ ...record, disabledAt: undefined }, record.version)
}

const ada = aProvisionedUser('ada').userId

it('lists the agents of a user and of a directory, each with its owner, in pages', async () => {
  const system = await start()
  await anAgent(system.storage, 'zeta')

  const first = await system.send({ path: '/identity-providers/corp/agents?limit=1' })
  const second = await system.send({ path: '/identity-providers/corp/agents?limit=1&after=triage' })

  expect(first.body).toMatchObject({
    next: 'triage',
    items: [
      {
        client_id: 'triage',
        client_name: 'Agent triage',
        provider_id: 'corp',
        owner_user_id: ada,
        external_id: 'triage',
      },
    ],
  })
  expect(second.body).toMatchObject({ items: [{ client_id: 'zeta' }] })
  expect(second.body).not.toHaveProperty('next')
  const own = await system.send({ path: `/users/${ada}/agents` })
  expect(own.body).toMatchObject({ items: [{ client_id: 'triage' }, { client_id: 'zeta' }] })
  expect(own.text).not.toContain('ended_by')
})

it.for([
  {
    end: 'its owner is deactivated',
    by: (system: AdminServerUnderTest) => system.send({ method: 'POST', path: `/users/${ada}/deactivate` }),
    endedBy: 'owner_inactive',
  },
  {
    end: 'its directory is disabled',
    by: (system: AdminServerUnderTest) => system.send({ method: 'POST', path: '/identity-providers/corp/disable' }),
    endedBy: 'directory_disabled',
  },
  {
    end: 'an administrator disables it',
    by: (system: AdminServerUnderTest) => system.send({ method: 'POST', path: '/clients/triage/disable' }),
    endedBy: 'administrator',
  },
  {
    end: 'the directory disables it',
    by: async ({ storage }: AdminServerUnderTest) => {
      const client = await storage.clients.find(clientId('triage'))
      if (client?.agent === undefined) throw new Error('There is no such agent.')
      const ended = { ...client, disabledAt: now, agent: { ...client.agent, endedAt: now } }
      await storage.clients.compareAndSwap(ended, client.version)
    },
    endedBy: 'directory',
  },
])('says why an agent is disabled: $end', async ({ by, endedBy }) => {
  const system = await start()

  await by(system)

  const { body } = await system.send({ path: '/identity-providers/corp/agents' })
  expect(body).toMatchObject({ items: [{ disabled_at: now, ended_by: endedBy }] })
})

it('rejects an unknown user or directory (RFC 9110 §15.5.5)', async () => {
  const system = await start()
  const replies = [
    await system.send({ path: '/users/none/agents' }),
    await system.send({ path: '/identity-providers/none/agents' }),
  ]
  expect(replies.map(({ status, body }) => [status, body?.['code']])).toEqual([
    [404, 'user_unknown'],
    [404, 'provider_unknown'],
  ])
})
