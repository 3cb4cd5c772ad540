import { deepEqual } from 'node:assert/strict'

import { toFetch } from '@mintmark/adapter-fetch'
import { createAuthorizationServer, createStoredKeys } from '@mintmark/core'
import { createProvisioning } from '@mintmark/provisioning'
import { createScimServer, registerIdentityProvider } from '@mintmark/scim'
import { epochSeconds, type JsonObject } from '@mintmark/storage-interface'
import { createMemoryStorage } from '@mintmark/storage-interface/memory'

/** The SCIM service of a partner. */
export interface PartnerAddress {
  readonly baseUrl: string
  readonly bearerToken: string
}

/** A user or a group; only a user has a `userName`. */
interface Resource extends JsonObject {
  readonly id: string
  readonly userName: string
}

export type PartnerWorld = Awaited<ReturnType<typeof openPartnerWorld>>

/** A server with a directory, and with a partner that is a target of it. */
export async function openPartnerWorld(address: PartnerAddress) {
  let now = 1_790_000_000
  const clock = () => epochSeconds(now)
  const issuer = 'https://as.test'
  const storage = createMemoryStorage({ issuer })
  const keys = createStoredKeys({ storage, sealingKey: 'A'.repeat(43), clock })
  const dangerouslyAllowOutbound = [new URL(address.baseUrl).origin]
  const provisioning = createProvisioning({ storage, keys, clock, dangerouslyAllowOutbound })
  const server = createAuthorizationServer({
    issuer,
    storage,
    keys,
    clock,
    provisioning,
    dangerouslyAllowOutbound,
    signedIn: async () => undefined,
    onEvent: () => {},
  })
  const { secret } = await registerIdentityProvider({ providerId: 'directory' }, { storage, clock })
  const inbound = toFetch(createScimServer({ issuer, storage, clock, onEvent: () => {} }))
  await provisioning.targets.create({
    targetId: 'partner',
    displayName: 'Partner',
    baseUrl: address.baseUrl,
    credential: { bearerToken: address.bearerToken },
    providerIds: ['directory'],
    onRemoval: 'delete',
  })

  const directory = sender({
    send: inbound,
    baseUrl: `${issuer}/scim/v2/enterprise-idps/directory`,
    bearerToken: secret,
  })
  const atPartner = sender({ send: fetch, ...address })
  const partner = async (path: string) => {
    const all: Resource[] = []
    for (;;) {
      const page = await atPartner('GET', `${path}?startIndex=${all.length + 1}`)
      if (page.length === 0) return all
      all.push(...page)
    }
  }
  /** Expects that everything was delivered. */
  const expectNoFailure = async () => {
    const query = { recipient: 'partner', before: undefined, limit: 10 } as const
    const dead = await storage.deliveries.list({ ...query, state: 'dead' })
    const pending = await storage.deliveries.list({ ...query, state: 'pending' })
    deepEqual(
      [...dead, ...pending].map(({ lastFailure }) => lastFailure),
      [],
    )
  }
  const userNames = async (ofUser: (user: Resource) => boolean = () => true) =>
    (await partner('/Users')).flatMap((found) => (ofUser(found) ? [found.userName] : [])).toSorted()
  /** Delivers until nothing is due, also what waits for other messages. */
  const deliver = async () => {
    for (let round = 0; round < 4; round += 1) {
      await server.deliverOnce()
      now += 11
    }
  }
  return {
    address,
    provisioning,
    directory,
    atPartner,
    partner,
    deliver,
    expectNoFailure,
    /** Returns the names of the partner's users, in order. */
    userNames,
    /** Returns the user whom the partner has. */
    partnerUser: async (name: string) => (await partner('/Users')).find(({ userName }) => userName === name),
    /** Returns the identifier of a user at this server. */
    async ownId(userName: string) {
      const [found] = await directory('GET', `/Users?filter=${encodeURIComponent(`userName eq "${userName}"`)}`)
      return found?.id ?? ''
    },
    /** Returns the names of the members of the partner's only group, in order. */
    async memberNames() {
      const [team] = await partner('/Groups')
      const ids = JSON.stringify(team?.['members'] ?? [])
      return userNames(({ id }) => ids.includes(id))
    },
    async expectEqual() {
      await expectNoFailure()
      deepEqual((await provisioning.compare('partner')).divergences, [])
    },
  }
}

/** Returns a function that sends a SCIM request and returns the resources in the response. */
function sender({
  send,
  baseUrl,
  bearerToken,
}: PartnerAddress & { readonly send: (request: Request) => Promise<Response> }) {
  return async (method: string, path: string, body?: JsonObject): Promise<readonly Resource[]> => {
    const headers = { authorization: `Bearer ${bearerToken}`, 'content-type': 'application/scim+json' }
    const init = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) }
    const response = await send(new Request(baseUrl + path, init))
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
    if (text === '') return []
    const parsed = JSON.parse(text) as Resource & { readonly Resources?: readonly Resource[] }
    if (method !== 'GET') return [parsed]
    return parsed.Resources ?? []
  }
}
