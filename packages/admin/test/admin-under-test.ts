import {
  epochSeconds,
  grantId,
  clientId,
  sessionId,
  userId,
  type EpochSeconds,
  type AdminStorage,
} from '@mintmark/storage-interface'
import { createMemoryDatabase, createMemoryStorage } from '@mintmark/storage-interface/memory'
import { expect } from 'vitest'
import { secretDigest } from '@mintmark/storage-interface/stores'

import {
  AdminError,
  createAdministration,
  type Administration,
  type AdminEvent,
  type AdminRefusalReason,
} from '../src/index.ts'
import type { AdministrationOptions } from '../src/administration.ts'

/** An administration with memory storage. The actor is the host's operator. */
export interface AdminUnderTest {
  readonly admin: Administration
  readonly storage: AdminStorage
  readonly events: readonly AdminEvent[]
  readonly clock: { now(): EpochSeconds; advance(seconds: number): void }
  /** Returns everything in storage except the logs, as text. */
  dump(): string
}

export const issuer = 'https://as.test'
export const operator = { kind: 'host', id: 'operator' } as const

export function startAdmin(options: Partial<AdministrationOptions> = {}): AdminUnderTest {
  let now = 1_790_000_000
  const clock = { now: () => epochSeconds(now), advance: (seconds: number) => void (now += seconds) }
  const database = createMemoryDatabase()
  const storage = options.storage ?? createMemoryStorage({ issuer, database })
  const events: AdminEvent[] = []
  const administrations = createAdministration({
    ...options,
    storage,
    clock: () => clock.now(),
    onEvent: (event) => void events.push(event),
  })
  return {
    admin: administrations.as(operator),
    storage,
    events,
    clock,
    dump: () => JSON.stringify({ ...database.tablesOf(issuer), logs: undefined }, sortedJson, 1),
  }
}

/** Expects a refusal with the reason, and unchanged storage. */
export async function expectRefused(
  system: AdminUnderTest,
  act: () => Promise<unknown>,
  reason: AdminRefusalReason,
): Promise<void> {
  const before = system.dump()

  const thrown: unknown = await act().then(
    () => undefined,
    (error: unknown) => error,
  )

  expect(thrown).toBeInstanceOf(AdminError)
  expect(thrown).toMatchObject({ reason })
  expect(system.dump()).toBe(before)
}

/** Creates a grant and a session of a user, as a sign-in does. */
export async function signIn(system: AdminUnderTest, name: string, client = 'app'): Promise<void> {
  const user = await system.storage.users.find(userId(name))
  if (user === undefined) throw new Error('There is no such user.')
  const issued = { userId: user.userId, userGeneration: user.generation, createdAt: system.clock.now() }
  const id = `${name}-${client}-${user.generation}`
  const grant = {
    grantId: grantId(`g-${id}`),
    clientId: clientId(client),
    scopes: ['openid'],
    resources: ['https://api.test'],
    authorizationDetails: [],
    clientDigest: undefined,
    revokedAt: undefined,
    version: 1,
  }
  await system.storage.grants.insert({ ...issued, ...grant })
  const inAnHour = epochSeconds(system.clock.now() + 3600)
  const session = {
    sessionId: sessionId(`s-${id}`),
    digest: secretDigest(`d-${id}`),
    authTime: issued.createdAt,
    acr: undefined,
    amr: ['pwd'],
    userAgent: undefined,
    location: undefined,
    lastSeenAt: issued.createdAt,
    keptUntil: issued.createdAt,
    endReason: undefined,
  }
  await system.storage.sessions.insert({
    ...issued,
    ...session,
    idleExpiresAt: inAnHour,
    expiresAt: inAnHour,
    revokedAt: undefined,
  })
}

/** Converts maps and sets to sorted arrays: a replacer for `JSON.stringify`. */
export function sortedJson(_key: string, value: unknown): unknown {
  if (value instanceof Map) return [...value].toSorted(([left], [right]) => (String(left) < String(right) ? -1 : 1))
  return value instanceof Set ? [...value].map(String).toSorted() : value
}
