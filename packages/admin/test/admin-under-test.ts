import {
  epochSeconds,
  grantId,
  clientId,
  secretDigest,
  sessionId,
  userId,
  type EpochSeconds,
  type AdminStorage,
} from '@mintmark/storage-interface'
import { createMemoryDatabase, createMemoryStorage } from '@mintmark/storage-interface/memory'
import { expect } from 'vitest'

import {
  AdminError,
  createAdministration,
  type Administration,
  type AdministrationOptions,
  type AdminEvent,
  type AdminRefusalReason,
} from '../src/index.ts'

/** An administration in the hands of the host's operator, over a storage that can be looked into. */
export interface AdminUnderTest {
  readonly admin: Administration
  readonly storage: AdminStorage
  readonly events: readonly AdminEvent[]
  readonly clock: { now(): EpochSeconds; advance(seconds: number): void }
  /** Everything that is stored but the logs, as text. */
  dump(): string
}

export const issuer = 'https://as.test'
export const operator = { kind: 'host', id: 'operator' } as const

export function startAdmin(options: Partial<AdministrationOptions> = {}): AdminUnderTest {
  let now = 1_790_000_000
  const clock = { now: () => epochSeconds(now), advance: (seconds: number) => void (now += seconds) }
  const medium = createMemoryDatabase()
  const storage = options.storage ?? createMemoryStorage({ issuer, database: medium })
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
    dump: () => JSON.stringify({ ...medium.tablesOf(issuer), logs: undefined }, plain, 1),
  }
}

/** Does what is to be refused: for that reason, with nothing changed, and told in an event. */
export async function expectRefused(
  under: AdminUnderTest,
  act: () => Promise<unknown>,
  reason: AdminRefusalReason,
): Promise<void> {
  const before = under.dump()

  const thrown: unknown = await act().then(
    () => undefined,
    (error: unknown) => error,
  )

  expect(thrown).toBeInstanceOf(AdminError)
  expect(thrown).toMatchObject({ reason })
  expect(under.dump()).toBe(before)
}

/** A grant and a session of an account, as a sign-in leaves them. */
export async function signIn(under: AdminUnderTest, account: string, client = 'app'): Promise<void> {
  const user = await under.storage.users.find(userId(account))
  if (user === undefined) throw new Error('There is no such account.')
  const born = { userId: user.userId, userGeneration: user.generation, createdAt: under.clock.now() }
  const id = `${account}-${client}-${user.generation}`
  const grant = {
    grantId: grantId(`g-${id}`),
    clientId: clientId(client),
    scopes: ['openid'],
    revokedAt: undefined,
    version: 1,
  }
  await under.storage.grants.insert({ ...born, ...grant })
  const lasting = epochSeconds(under.clock.now() + 3600)
  const session = {
    sessionId: sessionId(`s-${id}`),
    digest: secretDigest(`d-${id}`),
    authTime: born.createdAt,
    acr: undefined,
    amr: ['pwd'],
  }
  await under.storage.sessions.insert({
    ...born,
    ...session,
    idleExpiresAt: lasting,
    expiresAt: lasting,
    revokedAt: undefined,
  })
}

function plain(_key: string, value: unknown): unknown {
  if (value instanceof Map) return [...value].toSorted(([left], [right]) => (String(left) < String(right) ? -1 : 1))
  return value instanceof Set ? [...value].map(String).toSorted() : value
}
