import { oktaEntitlementResourceType, oktaRoleResourceType } from '@mintmark/scim'
import type { AdminStorage, JsonObject } from '@mintmark/storage-interface'
import { describe, expect, test } from 'vitest'

import { aDevice, deviceType, roles } from '../../packages/scim/test/fixtures/custom-types.ts'
import { idOf, startScim } from '../../packages/scim/test/fixtures/scim-under-test.ts'
import { stores } from '../support/stores.ts'

const patchOp = 'urn:ietf:params:scim:api:messages:2.0:PatchOp'
const userSchema = 'urn:ietf:params:scim:schemas:core:2.0:User'
const groupSchema = 'urn:ietf:params:scim:schemas:core:2.0:Group'

describe.each(stores)('custom resource types on %s', (_, open) => {
  test('exactly one of eight concurrent requests gets a unique value in any spelling, or an externalId (RFC 7643 §7)', async () => {
    const { status } = await start(await open())
    const spellings = ['s1', 'S1', 'ｓ1', 's1', 'S1', 'ｓ1', 's1', 'S1']

    const serials = await Promise.all(
      spellings.map((serialNumber) => status('POST', '/Devices', aDevice({ serialNumber }))),
    )
    const externalIds = await Promise.all(
      spellings.map(() => status('POST', '/Devices', aDevice({ externalId: 'e1' }))),
    )

    expect(serials.toSorted(ascending)).toEqual([201, ...Array<number>(7).fill(409)])
    expect(externalIds.toSorted(ascending)).toEqual([201, ...Array<number>(7).fill(409)])
    expect(await status('POST', '/Devices', aDevice({ serialNumber: 's1', externalId: 'e1' }), 'T2')).toBe(201)
  })

  test('a unique value that is in use is refused in PUT, PATCH and Bulk, and is free after a removal (RFC 7644 §3.12)', async () => {
    const { send, status } = await start(await open())
    const first = idOf(await send('POST', '/Devices', aDevice({ serialNumber: 'one' })))
    const other = idOf(await send('POST', '/Devices', aDevice({ serialNumber: 'two' })))
    const replace = { op: 'replace', path: 'serialNumber', value: 'ONE' }

    const refused = [
      await status('PUT', `/Devices/${other}`, aDevice({ serialNumber: 'ONE' })),
      await status('PATCH', `/Devices/${other}`, { schemas: [patchOp], Operations: [replace] }),
      ...(await bulk(send, [
        { method: 'POST', path: '/Devices', bulkId: 'b', data: aDevice({ serialNumber: 'one' }) },
      ])),
    ]

    expect(refused).toEqual([409, 409, '409'])
    expect((await send('GET', `/Devices/${other}`)).body).toMatchObject({
      serialNumber: 'two',
      meta: { version: 'W/"1"' },
    })
    await send('DELETE', `/Devices/${first}`)
    expect(await status('PUT', `/Devices/${other}`, aDevice({ serialNumber: 'ONE' }))).toBe(200)
  })

  test('a reference to a removed resource remains and does not block writes, but cannot be added again (RFC 7643 §2.3.7)', async () => {
    const { send, status } = await start(await open())
    const user = idOf(await send('POST', '/Users', { schemas: [userSchema], userName: 'kim' }))
    const gone = idOf(await send('POST', '/Devices', aDevice()))
    const related = [{ value: gone, type: 'Device' }]
    const device = idOf(await send('POST', '/Devices', aDevice({ owner: { value: user }, related })))
    await send('DELETE', `/Users/${user}`)
    await send('DELETE', `/Devices/${gone}`)
    const patch = (...Operations: readonly object[]) =>
      status('PATCH', `/Devices/${device}`, { schemas: [patchOp], Operations })

    expect([
      await patch({ op: 'replace', path: 'displayName', value: 'Other' }),
      await status('PUT', `/Devices/${device}`, aDevice({ owner: { value: user }, related })),
      await patch({ op: 'remove', path: 'related' }),
    ]).toEqual([200, 200, 200])
    expect([
      await patch({ op: 'add', path: 'related', value: related }),
      await status('POST', '/Devices', aDevice({ owner: { value: user } })),
      await patch({ op: 'replace', path: 'owner.value', value: gone }),
    ]).toEqual([400, 400, 400])
  })

  test('an identifier of another type or provider is unknown to every method (RFC 7644 §3.12)', async () => {
    const { send, status } = await start(await open())
    const user = idOf(await send('POST', '/Users', { schemas: [userSchema], userName: 'kim' }))
    const device = idOf(await send('POST', '/Devices', aDevice()))
    const foreign = idOf(await send('POST', '/Devices', aDevice(), 'T2'))
    const rename = { schemas: [patchOp], Operations: [{ op: 'replace', path: 'displayName', value: 'x' }] }

    const unknown = [
      await status('GET', `/Devices/${user}`),
      await status('DELETE', `/Users/${device}`),
      await status('DELETE', `/Groups/${device}`),
      await status('PATCH', `/Entitlements/${device}`, rename),
      await status('DELETE', `/Devices/${foreign}`),
      ...(await bulk(send, [{ method: 'DELETE', path: `/Devices/${foreign}` }])),
    ]
    const refused = [
      await status('POST', '/Groups', { schemas: [groupSchema], displayName: 'g', members: [{ value: device }] }),
      await status('POST', '/Devices', aDevice({ related: [{ value: foreign, type: 'Device' }] })),
    ]

    expect(unknown).toEqual([404, 404, 404, 404, 404, '404'])
    expect(refused).toEqual([400, 400])
    expect(await status('DELETE', '/Roles/viewer')).toBe(405)
    expect(await status('GET', `/Devices/${foreign}`, undefined, 'T2')).toBe(200)
  })
})

const ascending = (left: number, right: number): number => left - right

async function start(storage: AdminStorage) {
  const scim = await startScim({
    storage,
    resourceTypes: [deviceType, { resourceType: oktaRoleResourceType, resources: roles }, oktaEntitlementResourceType],
  })
  // oxlint-disable-next-line eslint/max-params -- A request on one line.
  const send = (method: string, path: string, body?: unknown, provider = 'T1') =>
    scim.send({ method, path, provider, body })
  return { send, status: async (...request: Parameters<typeof send>) => (await send(...request)).status }
}

/** Sends a bulk request. @returns the statuses of its operations. */
async function bulk(
  send: Awaited<ReturnType<typeof start>>['send'],
  operations: readonly object[],
): Promise<readonly unknown[]> {
  const schemas = ['urn:ietf:params:scim:api:messages:2.0:BulkRequest']
  const { body } = await send('POST', '/Bulk', { schemas, Operations: operations })
  return ((body?.['Operations'] ?? []) as readonly JsonObject[]).map(({ status }) => status)
}
