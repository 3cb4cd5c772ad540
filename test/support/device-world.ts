import { registerClient } from '@mintmark/core'
import { devicePage } from '@mintmark/pages'
import { onTestFinished } from 'vitest'

import { browserCookie, encode, postForm, signedInAs, type Change } from './flow.ts'
import { postedParameters } from './interaction-steps.ts'
import type { Reply } from './send.ts'
import { startServer, type ServerUnderTest } from './server-under-test.ts'

export const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code'
const scope = 'openid profile offline_access'

/** Starts a server with the option `device`, and registers V, a public client on a device, and W, which has a secret. */
export async function startDeviceServer(
  options: Parameters<typeof startServer>[0] = {},
  start: (options: Parameters<typeof startServer>[0]) => Promise<ServerUnderTest> = startServer,
): Promise<ServerUnderTest> {
  const site = await start({ device: { renderPage: devicePage }, ...options })
  onTestFinished(() => site.close())
  const { storage, clock } = site
  const device = { grantTypes: [deviceGrant, 'refresh_token'], scopes: scope.split(' '), redirectUris: [] }
  const deps = { storage, clock: clock.now }
  await registerClient({ ...device, clientId: 'V', clientName: 'Television', tokenEndpointAuthMethod: 'none' }, deps)
  await registerClient({ ...device, clientId: 'W', clientName: 'Watch', tokenEndpointAuthMethod: 'none' }, deps)
  return site
}

/** Sends the device authorization request of V (RFC 8628 §3.1). */
export const ask = (site: ServerUnderTest, change: Change = {}, headers: Record<string, string> = {}): Promise<Reply> =>
  postForm(site, '/device/authorization', encode({ client_id: 'V', scope, ...change }), headers)

/** What a device shows and keeps. */
export interface Codes {
  readonly deviceCode: string
  readonly userCode: string
}

export async function askForCodes(site: ServerUnderTest, change: Change = {}): Promise<Codes> {
  const { json } = await ask(site, change)
  return { deviceCode: String(json['device_code']), userCode: String(json['user_code']) }
}

/** Polls as V (RFC 8628 §3.4). */
export const poll = (
  site: ServerUnderTest,
  deviceCode: string,
  change: Change = {},
  headers: Record<string, string> = {},
): Promise<Reply> =>
  postForm(
    site,
    '/token',
    encode({ grant_type: deviceGrant, client_id: 'V', device_code: deviceCode, ...change }),
    headers,
  )

/** Opens the page with the code in its address, as the browser of a user who is signed in. */
export const openCode = (site: ServerUnderTest, userCode: string, cookie = signedInAs(site, 'U1')): Promise<Reply> =>
  site.send({ path: `/device?${encode({ user_code: userCode })}`, headers: { cookie } })

/** Posts the form of the confirmation page. */
export const confirm = (
  site: ServerUnderTest,
  page: Reply,
  {
    decision = 'continue',
    headers = {},
  }: { readonly decision?: string; readonly headers?: Record<string, string> } = {},
): Promise<Reply> =>
  postForm(site, '/device/confirm', encode({ ...Object.fromEntries(postedParameters(page)), decision }), {
    cookie: [browserCookie(page), signedInAs(site, 'U1')].join('; '),
    origin: site.issuer,
    ...headers,
  })

/** The host's consent page in the browser that confirmed a code. */
export interface ConsentPage {
  readonly path: string
  readonly cookie: string
}

/** Enters the code, confirms it, and gets the address of the host's consent page. */
export async function openConsent(site: ServerUnderTest, userCode: string): Promise<ConsentPage> {
  const page = await openCode(site, userCode)
  const { pathname, search } = (await confirm(site, page)).location
  return { path: pathname + search, cookie: [browserCookie(page), signedInAs(site, 'U1')].join('; ') }
}

/** Posts a form to the host's consent page. */
export const answer = (site: ServerUnderTest, { path, cookie }: ConsentPage, form: string): Promise<Reply> =>
  postForm(site, path, form, { cookie, origin: site.issuer })

/** Approves all scope values of the request, as U1. */
export const approve = async (site: ServerUnderTest, userCode: string): Promise<Reply> =>
  answer(site, await openConsent(site, userCode), consentToAll)

export const consentToAll = scope
  .split(' ')
  .map((value) => encode({ scope: value }))
  .join('&')
