import type { ScimError, ScimRefusalReason } from '@mintmark/scim'
import { expect } from 'vitest'

import { ownKeysOfPrototypes, initialKeysOfPrototypes } from './prototypes.ts'
import type { Reply } from './send.ts'
import type { ScimSite } from './scim-site.ts'

/** The expected refusal of a SCIM request. */
export interface ScimRefusal {
  readonly status: number
  readonly scimType?: NonNullable<ScimError['scimType']>
  readonly reason: ScimRefusalReason
  /** Strings in the request that the response must not contain. */
  readonly secrets?: readonly string[]
}

/**
 * Sends a request that must be refused. Asserts the SCIM error, the reason, that storage is unchanged, that the response
 * reveals no secret, and that no prototype is polluted.
 */
export async function expectScimRefusal(
  site: ScimSite,
  refusal: ScimRefusal,
  send: () => Promise<Reply>,
): Promise<Reply> {
  const before = site.dump()
  const events = site.events.length

  const reply = await send()

  expect(
    site.events.slice(events).flatMap((event) => (event.type === 'request.refused' ? [event.reason] : [])),
  ).toEqual([refusal.reason])
  expect(reply.json).toEqual({
    schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
    ...(refusal.scimType === undefined ? {} : { scimType: refusal.scimType }),
    status: String(refusal.status),
    detail: expect.stringMatching(/^[A-Z][\x20\x21\x23-\x5B\x5D-\x7E]+\.$/) as unknown,
  })
  expect(reply.status).toBe(refusal.status)
  expect(reply.header('content-type')).toBe('application/scim+json')
  expect(reply.header('cache-control')).toBe('no-store')
  expect(reply.header('x-content-type-options')).toBe('nosniff')
  expect(reply.header('www-authenticate')?.split(' ', 1)[0]).toBe(
    refusal.status === 401 || refusal.reason === 'scope_missing' ? 'Bearer' : undefined,
  )
  expect(Buffer.byteLength(reply.text)).toBeLessThan(4096)
  for (const secret of refusal.secrets ?? []) expect(reply.text).not.toContain(secret)
  expect(JSON.stringify(site.events)).not.toMatch(/mmscim_/)
  expect(site.dump()).toBe(before)
  expect(ownKeysOfPrototypes()).toEqual(initialKeysOfPrototypes)
  return reply
}
