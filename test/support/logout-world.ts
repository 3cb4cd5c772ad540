import { isDeliveryStorage } from '@mintmark/storage-interface/stores'
import {
  createAuthorizationServer,
  createStoredKeys,
  type AuthorizationServer,
  type AuthorizationServerOptions,
  type KeyRing,
  type ServerEvent,
} from '@mintmark/core'
import {
  clientId,
  epochSeconds,
  sessionId,
  userId,
  type AdminStorage,
  type ClientRecord,
  type DeliveryRecord,
  type EpochSeconds,
} from '@mintmark/storage-interface'
import { aClientRecord } from '@mintmark/storage-interface/fixtures'
import { createMemoryStorage } from '@mintmark/storage-interface/memory'
import { onTestFinished } from 'vitest'

import { startLogoutReceiver, type LogoutReceiver } from './logout-receiver.ts'

/** A server whose clients receive logout tokens over real TLS, and a clock that the test advances. */
export interface LogoutWorld {
  readonly server: AuthorizationServer
  readonly storage: AdminStorage
  readonly keys: KeyRing
  readonly receiver: LogoutReceiver
  readonly events: readonly ServerEvent[]
  readonly clock: { readonly now: () => EpochSeconds; readonly advance: (seconds: number) => void }
  /** Registers a client with the address https://{name}.test/logout. */
  register(name: string, change?: Partial<ClientRecord>): Promise<void>
  /** Adds clients to a session of U1. */
  join(session: string, ...clients: readonly string[]): Promise<void>
  /** Revokes a session, as a sign-out does. */
  revoke(session: string): Promise<void>
  /** Returns all deliveries in a state, the oldest first. */
  deliveries(state: DeliveryRecord['state']): Promise<readonly DeliveryRecord[]>
  /** Returns the type of every event about a delivery, followed by the failure if there is one. */
  outcomes(): readonly string[]
}

interface WorldOptions extends Partial<Omit<AuthorizationServerOptions, 'storage'>> {
  readonly storage?: AdminStorage
  readonly hosts?: readonly string[]
  readonly privateHosts?: readonly string[]
}

export const issuer = 'https://as.test'

export async function startLogoutWorld({
  hosts = ['a', 'b'],
  privateHosts,
  ...options
}: WorldOptions = {}): Promise<LogoutWorld> {
  let now = 1_790_000_000
  const clock = { now: () => epochSeconds(now), advance: (seconds: number) => void (now += seconds) }
  const storage = options.storage ?? createMemoryStorage({ issuer })
  const keys = createStoredKeys({ storage, sealingKey: Buffer.alloc(32, 7).toString('base64url'), clock: clock.now })
  const receiver = await startLogoutReceiver(
    hosts.map((host) => `${host}.test`),
    privateHosts?.map((host) => `${host}.test`),
  )
  onTestFinished(() => receiver.close())
  const events: ServerEvent[] = []
  const server = createAuthorizationServer({
    issuer,
    keys,
    signedIn: () => Promise.resolve(undefined),
    clock: clock.now,
    fetch: receiver.fetch,
    onEvent: (event) => void events.push(event),
    purge: false,
    ...(isDeliveryStorage(storage) && { backChannelLogout: { afterRequests: false } }),
    ...options,
    storage,
  })
  await storage.users.insert({ userId: userId('U1'), claims: {}, createdAt: clock.now() })

  return {
    server,
    storage,
    keys,
    receiver,
    events,
    clock,
    register: async (name, change = {}) => {
      const backchannelLogoutUri = `https://${name}.test/logout`
      const id = clientId(name)
      await storage.clients.insert(
        aClientRecord({ clientId: id, backchannelLogoutUri, idTokenSignedResponseAlg: 'ES256', ...change }),
      )
    },
    join: async (session, ...clients) => {
      for (const client of clients)
        await storage.sessions.join({
          session: {
            sessionId: sessionId(session),
            userId: userId('U1'),
            userGeneration: 0,
            authTime: clock.now(),
            acr: undefined,
            amr: [],
            userAgent: undefined,
            location: undefined,
            keptUntil: epochSeconds(now + 864_000),
          },
          clientId: clientId(client),
          now: clock.now(),
        })
    },
    revoke: async (session) => {
      const end = {
        sessionId: sessionId(session),
        reason: 'user',
        now: clock.now(),
        tombstoneUntil: undefined,
      } as const
      await storage.sessions.revoke(end)
    },
    deliveries: async (state) =>
      (await storage.deliveries.list({ state, recipient: undefined, before: undefined, limit: 1000 })).toReversed(),
    outcomes: () =>
      events.flatMap((event) => {
        if (!event.type.startsWith('delivery.')) return []
        return 'failure' in event ? [`${event.type} ${event.failure}`] : [event.type]
      }),
  }
}
