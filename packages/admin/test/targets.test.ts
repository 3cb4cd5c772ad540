import { createStoredKeys } from '@mintmark/core'
import { createProvisioning } from '@mintmark/provisioning'
import { epochSeconds, providerId } from '@mintmark/storage-interface'
import { aDelivery, aProvisionedUser } from '@mintmark/storage-interface/fixtures'
import { createMemoryStorage } from '@mintmark/storage-interface/memory'
import { describe, expect, it } from 'vitest'

import { issuer, startAdminServer } from './admin-server-under-test.ts'
import { expectRefused, startAdmin } from './admin-under-test.ts'

const secret = 'partner-secret-4711'
const target = {
  target_id: 'crm',
  display_name: 'CRM',
  base_url: 'https://crm.example/scim/v2',
  credential: { bearer_token: secret },
  provider_ids: ['provider-1'],
}
const now = epochSeconds(1_790_000_000)

/** A server with a partner that has one account, which is not ours. */
async function start(answer: () => Response = listing) {
  const storage = createMemoryStorage({ issuer })
  const keys = createStoredKeys({ storage, sealingKey: 'A'.repeat(43), clock: () => now })
  const requests: string[] = []
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const { method, url } = new Request(input, init)
    requests.push(`${method} ${new URL(url).pathname}`)
    return answer()
  }
  const provisioning = createProvisioning({ storage, keys, fetch, clock: () => now })
  const system = startAdminServer({ storage, keys, provisioning })
  await storage.provisionedUsers.insert(aProvisionedUser('kim', { providerId: providerId('provider-1') }))
  return { ...system, requests, dump: async () => JSON.stringify(await storage.webhooks.list()) }
}

const listing = (): Response =>
  Response.json(
    { schemas: ['urn:ietf:params:scim:api:messages:2.0:ListResponse'], totalResults: 0, Resources: [] },
    { headers: { 'content-type': 'application/scim+json' } },
  )

const created = async (answer?: () => Response) => {
  const system = await start(answer)
  expect((await system.send({ method: 'POST', path: '/provisioning-targets', body: target })).status).toBe(201)
  return system
}

describe('partners in the administration API', () => {
  it('are created disabled, and no response, event or log entry has the credential', async () => {
    const system = await start()
    const post = { method: 'POST', path: '/provisioning-targets', body: target }
    const replies = [
      await system.send(post),
      await system.send({ path: '/provisioning-targets' }),
      await system.send({ path: '/provisioning-targets/crm' }),
      await system.send({
        method: 'POST',
        path: '/provisioning-targets/crm/replace-credential',
        body: { credential: { bearer_token: `${secret}-new` } },
      }),
      await system.send({ path: '/audit' }),
    ]

    expect(replies.map(({ status }) => status)).toEqual([201, 200, 200, 204, 200])
    expect(replies[0]?.body).toEqual({
      target_id: 'crm',
      display_name: 'CRM',
      base_url: 'https://crm.example/scim/v2',
      provider_ids: ['provider-1'],
      includes_host_users: false,
      on_removal: 'deactivate',
      adopts_existing: false,
      disabled_at: now,
      created_at: now,
    })
    const everything = JSON.stringify([replies, system.events, await system.storage.webhooks.list()])
    expect(everything).not.toContain(secret)
  })

  it('are changed, enabled, disabled and removed, each in the name of the administrator', async () => {
    const system = await created()
    const change = { method: 'PATCH', path: '/provisioning-targets/crm', body: { display_name: 'Sales' } }
    expect((await system.send(change)).body).toMatchObject({ display_name: 'Sales', on_removal: 'deactivate' })
    expect((await system.send({ method: 'POST', path: '/provisioning-targets/crm/enable' })).body).not.toHaveProperty(
      'disabled_at',
    )
    expect((await system.send({ method: 'POST', path: '/provisioning-targets/crm/disable' })).body).toHaveProperty(
      'disabled_at',
    )
    expect((await system.send({ method: 'DELETE', path: '/provisioning-targets/crm' })).status).toBe(204)

    expect(system.events).toMatchObject([
      { type: 'provisioning_target.created', actor: { kind: 'client', id: 'ops' }, target: { id: 'crm' } },
      { type: 'provisioning_target.updated', before: { displayName: 'CRM' }, after: { displayName: 'Sales' } },
      { type: 'provisioning_target.enabled' },
      { type: 'provisioning_target.disabled' },
      { type: 'provisioning_target.removed', before: { targetId: 'crm' } },
    ])
  })

  it('are compared without a change, and synchronized', async () => {
    const system = await created()

    const compared = await system.send({ method: 'POST', path: '/provisioning-targets/crm/compare' })
    const synchronized = await system.send({ method: 'POST', path: '/provisioning-targets/crm/synchronize' })

    expect(compared.body).toMatchObject({
      users: 1,
      groups: 0,
      divergences: [
        {
          kind: 'user',
          state: 'missing',
          // The names of SCIM attributes are not converted.
          requests: [{ method: 'POST', path: '/Users', body: { userName: 'kim@Example.com' } }],
        },
      ],
    })
    expect(new Set(system.requests)).toEqual(new Set(['GET /scim/v2/Users', 'GET /scim/v2/Groups']))
    expect(synchronized.body).toEqual({ users: 1, groups: 0 })
    expect(system.events.at(-1)).toMatchObject({ type: 'provisioning_target.synchronized', after: { users: 1 } })
  })

  it('that fail are reported with the failure (RFC 9110 §15.5.10)', async () => {
    const system = await created(() => new Response(null, { status: 401 }))
    const compare = { method: 'POST', path: '/provisioning-targets/crm/compare' }
    const reply = await system.send(compare)

    expect([reply.status, reply.body?.['code']]).toEqual([409, 'partner_failed'])
    expect(reply.body?.['detail']).toMatch(/\(http_401\)$/)
  })

  it('show the messages that were abandoned, and no others', async () => {
    const system = await created()
    const { deliveries } = system.storage
    for (const [id, recipient] of [
      ['d1', 'crm'],
      ['d2', 'other'],
    ] as const) {
      await deliveries.enqueue([aDelivery(id, { recipient, createdAt: now, channel: 'webhook' })])
      const lease = { channel: 'webhook', now, until: now, token: id, limit: 1, perRecipient: 1, except: [] }
      await deliveries.lease(lease)
      const result = { kind: 'dead', failure: 'external_id_not_kept', keptUntil: epochSeconds(now + 900) } as const
      await deliveries.settle({ deliveryId: id, token: id, result, now })
    }

    const { body } = await system.send({ path: '/provisioning-targets/crm/failures' })

    expect(body).toMatchObject({ items: [{ delivery_id: 'd1', last_failure: 'external_id_not_kept' }] })
  })

  it.for([
    [{ target_id: 'c r m' }, 400, 'target_id_invalid'],
    [{ target_id: 'crm' }, 409, 'target_taken'],
    [{ target_id: 'new', base_url: 'http://crm.example' }, 400, 'target_url_invalid'],
    [{ target_id: 'new', base_url: `${issuer}/scim` }, 400, 'target_url_invalid'],
    [{ target_id: 'new', credential: { bearer_token: 'with space' } }, 400, 'target_credential_invalid'],
    [{ target_id: 'new', provider_ids: [] }, 400, 'target_selection_empty'],
  ] as const)('are refused with %j (RFC 9110 §15.5.1)', async ([change, status, reason]) => {
    const system = await created()
    const before = await system.dump()

    const sent = { method: 'POST', path: '/provisioning-targets', body: { ...target, ...change } }
    const reply = await system.send(sent)

    expect([reply.status, reply.body?.['code']]).toEqual([status, reason])
    expect(await system.dump()).toBe(before)
  })

  it('are refused without the option provisioning, and unknown ones with 404 (RFC 9110 §15.5.5)', async () => {
    const without = startAdmin()
    await expectRefused(without, () => without.admin.targets.list(), 'provisioning_missing')
    const reply = await (await start()).send({ method: 'DELETE', path: '/provisioning-targets/none' })
    expect([reply.status, reply.body?.['code']]).toEqual([404, 'target_unknown'])
  })
})
