import { createAuthorizationServer, type AuthorizationServer, type AuthorizationServerOptions } from '@mintmark/core'
import { decodeBody, type Endpoint } from '@mintmark/core/http'
import { logoutPage } from '@mintmark/pages'
import { createScimServer } from '@mintmark/scim'
import { userId, type EpochSeconds, type AdminStorage } from '@mintmark/storage-interface'

import type { Site } from './adapters.ts'

/**
 * The server of the attack tests with the host's login and consent pages, for any adapter and any runtime. To test
 * another service over every adapter, add it to `services` and add a suite to test/flows/suites.
 */
export interface FixtureSite extends Site {
  readonly server: AuthorizationServer
  readonly pages: NonNullable<Site['pages']>
}

/** Callers must give the issuer, the keys and the storage, and may change every other option. */
type FixtureOptions = Pick<AuthorizationServerOptions, 'issuer' | 'keys'> & {
  readonly storage: AdminStorage
} & Partial<AuthorizationServerOptions>

export function createFixtureSite(options: FixtureOptions): FixtureSite {
  const server = createAuthorizationServer({
    scopes: { 'api.read': 'Read the API', 'api.write': 'Write to the API' },
    resources: { 'https://api.test': { scopes: ['api.read', 'api.write'] } },
    // Tests compare the stored records before and after a request.
    purge: false,
    ...(options.storage.deliveries !== undefined && { backChannelLogout: { afterRequests: false } }),
    signedIn: (request) => Promise.resolve(hostSession(request.headers.get('cookie'))),
    logout: {
      endSession: () => Promise.resolve([['Set-Cookie', 'host=; Path=/; Max-Age=0']]),
      renderPage: logoutPage,
    },
    ...options,
  })
  const page = { service: server, endpoint: hostPage(server) }
  const pages = Object.fromEntries(
    ['login', 'consent', 'select-account'].map((name) => [new URL(`${options.issuer}/${name}`).pathname, page]),
  )
  const { issuer, storage, clock } = options
  const scim = createScimServer({ issuer, storage, accessTokens: server, ...(clock === undefined ? {} : { clock }) })
  return { server, services: [server, scim], pages }
}

/** Inserts U1, who is active, U2, who is deactivated, and U3, who is removed. */
export async function insertFixtureUsers(storage: AdminStorage, now: EpochSeconds): Promise<void> {
  for (const id of ['U1', 'U2', 'U3'])
    await storage.users.insert({ userId: userId(id), claims: claimsOfU1, createdAt: now })
  await storage.users.deactivate(userId('U2'), now)
  await storage.users.remove(userId('U3'), now)
}

/** Reads the host's session cookie, `host=<user>.<authentication time>` with an optional `.<acr>` at the end. */
function hostSession(cookie: string | undefined) {
  const match = /(?:^|; )host=([^.;]+)\.(\d+)(?:\.([\w:]+))?/.exec(cookie ?? '')
  if (match?.[1] === undefined) return undefined
  return { subject: match[1], authTime: Number(match[2]), amr: ['pwd'], acr: match[3], sessionId: `sid-${match[1]}` }
}

/**
 * Creates the host's login, consent and account selection page. A GET shows the pending interaction as JSON. A POST completes
 * it according to its form parameters: `subject` (with `auth_time`, `acr`, `amr` and `expires_at`) signs a user in, `scope` and `detail` give
 * consent, `organization` selects an organization, `account=signed_in` continues with the signed-in user, and `deny`
 * denies the request. The value of `detail` is an identifier, optionally followed by the user's choice: `0 savings`.
 */
const hostPage =
  (server: AuthorizationServer): Endpoint =>
  async (request) => {
    try {
      const pending = await server.interaction(request)
      if (request.method === 'GET')
        return { status: 200, headers: [['Content-Type', 'application/json']], body: JSON.stringify(pending) }

      const form = new URLSearchParams(decodeBody(request.body))
      if (form.has('deny')) return await pending.deny()
      const subject = form.get('subject')
      const signIn =
        subject === null
          ? {}
          : {
              subject,
              authTime: Number(form.get('auth_time')),
              amr: form
                .get('amr')
                ?.split(' ')
                .filter((value) => value !== '') ?? ['pwd'],
              acr: form.get('acr') ?? undefined,
              ...(form.has('expires_at') && { expiresAt: Number(form.get('expires_at')) }),
            }
      const consent = form.has('scope') ? { grantedScopes: form.getAll('scope') } : {}
      const details = form.getAll('detail').map((text) => text.split(' '))
      const grantedDetails = details.flatMap(([id = '', choice]) => (id === '' ? [] : [{ id, choice }]))
      const organization = form.get('organization') ?? undefined
      return await pending.complete({
        ...signIn,
        ...consent,
        ...(form.has('detail') && { grantedDetails: grantedDetails }),
        organization,
        ...(form.get('account') === 'signed_in' && { account: 'signed_in' }),
      })
    } catch (error) {
      return server.renderError(error, request)
    }
  }

/** The claims of U1: at least one claim for every scope value. */
const claimsOfU1 = {
  name: 'Ann Lee',
  given_name: 'Ann',
  family_name: 'Lee',
  nickname: 'annie',
  locale: 'en-GB',
  updated_at: 1_700_000_000,
  email: 'ann@example.test',
  email_verified: true,
  address: { formatted: '1 High Street', country: 'GB' },
  phone_number: '+44 20 7946 0000',
  phone_number_verified: false,
}
