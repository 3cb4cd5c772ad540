import { type Clock, type Endpoint, type ServerRequest, type ServerResponse, withHeaders } from '@mintmark/internal'
import type { ClientRecord, EpochSeconds, JsonValue } from '@mintmark/storage-interface'
import { type DecoupledRequestRecord, secretDigest, type SecretDigest } from '@mintmark/storage-interface/stores'

import { answerDecoupled } from '../authorize/deny-interaction.ts'
import type { CompleteInteractionDependencies } from '../authorize/interaction-step.ts'
import { decideInteraction } from '../authorize/decide.ts'
import { decoupledStore, denyDecoupled, reopenDecoupled } from '../authorize/decoupled-request.ts'
import type { RenderDevicePage } from '../authorize/device-page.ts'
import { createSeal, type Seal } from '../authorize/seal.ts'
import { startInteraction } from '../authorize/start-interaction.ts'
import { unverifiedDevice } from '../clients/unverified-host.ts'
import type { KeyRing } from '../keys/ring.ts'
import { type Parameters, readForm, readQuery } from '../parameters.ts'
import type { RateLimiter } from '../rate-limiter.ts'
import { refuse } from '../refusals.ts'
import { requireNavigation, requireSameOrigin } from '../sessions/browser.ts'
import { identifySession } from '../sessions/signed-in-user.ts'
import { devicePath } from './device-endpoint.ts'
import { digestUserCode, parseUserCode, showUserCode } from './user-code.ts'

export interface DevicePagesDependencies extends CompleteInteractionDependencies {
  readonly clock: Clock
  readonly keys: KeyRing
  /** Counts wrong user codes. */
  readonly userCodes: {
    readonly ofBrowser: RateLimiter
    readonly ofAddress: RateLimiter
    readonly inTotal: RateLimiter
  }
}

/** How the pages look, and where their visitors come from. */
export interface DevicePageSettings {
  readonly renderPage: RenderDevicePage
  readonly address?: ((request: ServerRequest) => string | undefined) | undefined
}

export const deviceConfirmPath = `${devicePath}/confirm`

/**
 * `GET /device` (RFC 8628 §3.3): asks for the user code, and then whether it is on the device in front of the user, also
 * if a link contained the code (§5.4). `POST /device/confirm` receives the answer, and starts the sign-in.
 */
export function devicePages(
  settings: DevicePageSettings,
  deps: DevicePagesDependencies,
): { readonly enter: Endpoint; readonly confirm: Endpoint } {
  const seal = confirmationSeal(deps)
  return {
    enter: async (request) => {
      const entered = readQuery(request).get('user_code')
      if (entered === undefined || request.method === 'HEAD') return enterPage(undefined, request, { settings, deps })
      requireNavigation(request)
      const now = deps.clock()
      const browser = await deps.browsers.bind(request)
      const counted = browser.isNew ? undefined : browser.digest
      const found = await findByUserCode({ entered, request, browser: counted }, now, { settings, deps })
      if (found === 'throttled' || found === 'unknown')
        return withHeaders(enterPage(found, request, { settings, deps }), browser.headers)
      const client = await findClient(found, deps)
      const page = await confirmPage({ record: found, client, browser: browser.digest }, request, {
        settings,
        deps,
        seal,
      })
      return withHeaders(page, browser.headers)
    },
    confirm: async (request) => {
      // RFC 9700 §4.7: another site must not confirm a code in the user's name.
      requireSameOrigin(request)
      requireNavigation(request)
      return confirm(readForm(request), request, { deps, seal })
    },
  }
}

/** The confirmation page, as its form returns it: for one request, and for the browser that got the page. */
interface Confirmation {
  readonly digest: SecretDigest
  readonly browser: SecretDigest
}

const confirmationSeal = ({ rules: { issuer }, keys, random }: DevicePagesDependencies): Seal<Confirmation> =>
  createSeal(
    {
      purpose: 'device confirmations',
      context: `device confirmation ${issuer}`,
      maxLength: 1000,
      encode: (confirmation) => confirmation,
      // The seal proves that one of the issuer's servers wrote both.
      decode: ({ digest, browser }) => ({
        digest: secretDigest(textOf(digest)),
        browser: secretDigest(textOf(browser)),
      }),
    },
    { keys, random },
  )

const textOf = (value: JsonValue | undefined): string => (typeof value === 'string' ? value : '')

/** Counts a wrong code for the browser, for the address and in total; a right one does not count, and resets nothing. */
async function findByUserCode(
  visit: {
    readonly entered: string
    readonly request: ServerRequest
    /** `undefined` for a browser without the cookie: every request would be another browser. */
    readonly browser: SecretDigest | undefined
  },
  now: EpochSeconds,
  { settings, deps }: { readonly settings: DevicePageSettings; readonly deps: DevicePagesDependencies },
): Promise<DecoupledRequestRecord | 'unknown' | 'throttled'> {
  const { entered, request, browser } = visit
  const address = settings.address?.(request)
  const { ofBrowser, ofAddress, inTotal } = deps.userCodes
  const counters = [
    ...(browser === undefined ? [] : [[ofBrowser, `browser ${browser}`] as const]),
    ...(address === undefined ? [] : [[ofAddress, `address ${address}`] as const]),
    [inTotal, 'total'] as const,
  ]
  for (const [limiter, key] of counters) {
    // RFC 8628 §5.1: counted before the code is looked up, so that parallel guesses are limited too.
    if (!(await limiter.consume(key, now)).allowed) return 'throttled'
  }
  const code = parseUserCode(entered)
  const digests = code === undefined ? [] : await digestUserCode(code, deps.keys)
  for (const digest of digests) {
    const found = await decoupledStore(deps.storage).findByUserCode(digest, now)
    if (found?.kind !== 'device') continue
    for (const [limiter, key] of counters) await limiter.giveBack?.(key, now)
    return found
  }
  deps.journal.record(request, { type: 'user_code.unknown' })
  return 'unknown'
}

async function findClient({ clientId }: DecoupledRequestRecord, deps: DevicePagesDependencies): Promise<ClientRecord> {
  const client = await deps.storage.clients.find(clientId)
  // RFC 6749 §3.2.1: the client was disabled or removed after it asked.
  if (client === undefined || client.disabledAt !== undefined) throw refuse('request_ended', { clientId })
  return client
}

function enterPage(
  problem: 'unknown' | 'throttled' | undefined,
  request: ServerRequest,
  { settings, deps }: { readonly settings: DevicePageSettings; readonly deps: DevicePagesDependencies },
): ServerResponse {
  const status = problem === undefined ? 200 : problem === 'unknown' ? 404 : 429
  const action = `${deps.rules.issuer}${devicePath}`
  return withHeaders(settings.renderPage({ kind: 'enter', status, action, problem }, request), [])
}

async function confirmPage(
  shown: { readonly record: DecoupledRequestRecord; readonly client: ClientRecord; readonly browser: SecretDigest },
  request: ServerRequest,
  {
    settings,
    deps,
    seal,
  }: {
    readonly settings: DevicePageSettings
    readonly deps: DevicePagesDependencies
    readonly seal: Seal<Confirmation>
  },
): Promise<ServerResponse> {
  const { record, client, browser } = shown
  const { clientId, clientName } = client
  const confirmation = (await seal.seal({ digest: record.digest, browser })) ?? ''
  const entered = parseUserCode(request.url.searchParams.get('user_code') ?? '') ?? ''
  return settings.renderPage(
    {
      kind: 'confirm',
      status: 200,
      action: `${deps.rules.issuer}${deviceConfirmPath}`,
      fields: [['confirmation', confirmation]],
      userCode: showUserCode(entered),
      client: { clientId, clientName, unverifiedHost: unverifiedDevice(client) },
      scopes: record.scopes.map((name) => ({ name, description: deps.scopes.get(name)?.description ?? name })),
      askedFrom: record.askedFrom,
      askedAt: record.createdAt,
    },
    request,
  )
}

/** Starts the sign-in for the confirmed request, in the browser that got the page. */
async function confirm(
  form: Parameters,
  request: ServerRequest,
  { deps, seal }: { readonly deps: DevicePagesDependencies; readonly seal: Seal<Confirmation> },
): Promise<ServerResponse> {
  const now = deps.clock()
  const confirmation = await seal.open(form.get('confirmation') ?? '')
  const browser = await deps.browsers.read(request)
  // RFC 8628 §5.4: only a browser whose user saw the page can confirm.
  if (confirmation === undefined || confirmation.browser !== browser) throw refuse('device_confirmation_unknown')
  const { digest } = confirmation
  const record = await decoupledStore(deps.storage).find(digest, now)
  if (record === undefined) throw refuse('request_ended')
  const client = await findClient(record, deps)
  const authorization = await reopenDecoupled(digest, { client, now }, deps)
  if (form.get('decision') !== 'continue') {
    // RFC 8628 §5.4: the user says that the device is not theirs, so its request ends here.
    await denyDecoupled(authorization, now, deps)
    return answerDecoupled({ decision: 'denied', userId: undefined }, authorization, { http: request, deps })
  }
  const session = await deps.signedIn(request)
  const signedInUser = await identifySession(session, now, deps.storage)
  const arrival = { signedInUser, interaction: undefined, isChosen: false }
  const decision = await decideInteraction(authorization, arrival, { ...deps, now })
  // `decideInteraction` always asks for consent to a request from another device.
  if (decision.kind === 'ready') throw new TypeError('A request from another device needs consent.')
  return startInteraction({ authorization, decision, request, session }, now, deps)
}
