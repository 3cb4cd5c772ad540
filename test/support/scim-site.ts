import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

import { toNodeListener } from '@mintmark/adapter-node'
import {
  createScimServer,
  registerIdentityProvider,
  type ScimEvent,
  type ScimServerOptions,
  type ToleranceProfile,
} from '@mintmark/scim'
import { providerId, type AdminStorage } from '@mintmark/storage-interface'

import { send, type Reply } from './send.ts'
import { startServer, type ServerUnderTest } from './server-under-test.ts'

/** A test's SCIM request; by default T1 sends it with its secret. */
interface ScimSent {
  readonly method?: string
  /** The path below the provider's base URL, with a leading slash: `/users?count=1`. */
  readonly path?: string
  /** The identifier of the provider in the URL. */
  readonly provider?: string
  /** An empty string leaves a header out; a list sends several. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>>
  /** Sent as JSON unless it is a string or bytes. */
  readonly body?: unknown
}

/** The server of the attack tests and a SCIM server, with one storage and one clock. */
export interface ScimSite {
  /** The authorization server. */
  readonly oauth: ServerUnderTest
  readonly storage: AdminStorage
  /** The providers' secrets. T1 and T2 are active; T0 is disabled. */
  readonly secrets: Readonly<Record<'T0' | 'T1' | 'T2', string>>
  readonly events: readonly ScimEvent[]
  /** T1's base URL, with the real port. */
  readonly baseUrl: string
  send(sent: ScimSent): Promise<Reply>
  /** Returns the reason for the last refusal. */
  lastReason(): string | undefined
  /** Returns everything that is stored, as text. */
  dump(): string
  readonly close: () => Promise<void>
}

interface SiteOptions extends Partial<ScimServerOptions> {
  readonly toleranceProfile?: ToleranceProfile
  /** A running authorization server whose storage holds the users. Default: a new server. */
  readonly oauth?: ServerUnderTest
}

export async function startScimSite({
  toleranceProfile = 'general',
  oauth,
  ...options
}: SiteOptions = {}): Promise<ScimSite> {
  const authServer = oauth ?? (await startServer())
  const { storage, issuer, clock } = authServer
  const events: ScimEvent[] = []
  const register = async (id: string): Promise<string> =>
    (
      await registerIdentityProvider(
        { providerId: id, toleranceProfile, clientIds: ['M'] },
        { storage, clock: clock.now },
      )
    ).secret
  const secrets = { T0: await register('T0'), T1: await register('T1'), T2: await register('T2') }
  await disable(storage, 'T0')

  const scim = createScimServer({
    issuer,
    storage,
    clock: clock.now,
    accessTokens: authServer.server,
    onEvent: (event) => void events.push(event),
    ...options,
  })
  const listener = createServer(toNodeListener(scim))
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
  const { port } = listener.address() as AddressInfo
  const base = `${new URL(issuer).pathname.replace(/\/$/, '')}/scim/v2/enterprise-idps`

  const site: ScimSite = {
    oauth: authServer,
    storage,
    secrets,
    events,
    baseUrl: `http://127.0.0.1:${port}${base}/T1`,
    send: ({ method = 'GET', path = '/users', provider = 'T1', headers = {}, body }) =>
      send(port, {
        method,
        path: `${base}/${provider}${path}`,
        headers: withoutEmpty({
          authorization: `Bearer ${secrets.T1}`,
          'content-type': 'application/scim+json',
          ...headers,
        }),
        ...(body === undefined ? {} : { body: encoded(body) }),
      }),
    lastReason: () => events.findLast((event) => event.type === 'request.refused')?.reason,
    dump: () => authServer.dump(),
    close: async () => {
      await new Promise((resolve) => listener.close(resolve))
      await authServer.close()
    },
  }
  // Storage records the first use of a secret; later reads change nothing.
  for (const provider of ['T1', 'T2'] as const)
    await site.send({ provider, headers: { authorization: `Bearer ${secrets[provider]}` } })
  return site
}

async function disable(storage: AdminStorage, id: string): Promise<void> {
  const provider = await storage.identityProviders.find(providerId(id))
  if (provider === undefined) throw new Error(`There is no provider ${id}.`)
  await storage.identityProviders.compareAndSwap({ ...provider, disabledAt: provider.createdAt }, provider.version)
}

const withoutEmpty = (headers: Readonly<Record<string, string | readonly string[]>>) =>
  Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== ''))

const encoded = (body: unknown): string | Uint8Array =>
  typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body)
