// One file: every request to end a session passes these steps, and their order matters.

import {
  type Clock,
  type Endpoint,
  type Header,
  noStore,
  redirect,
  type ServerRequest,
  type ServerResponse,
  withHeaders,
} from '@mintmark/internal'
import {
  after,
  type DurationSeconds,
  type EpochSeconds,
  type OAuthStorage,
  sessionId,
  userId,
  type UserRecord,
} from '@mintmark/storage-interface'
import type { SessionEndReason } from '@mintmark/storage-interface/stores'

import { type Browsers, requireNavigation, requireSameOrigin } from '../sessions/browser.ts'
import { accountNameOf } from '../authorize/pending-interaction.ts'
import { isVerified } from '../clients/logo.ts'
import { unverifiedHost } from '../clients/unverified-host.ts'
import { requestRefused } from '../errors.ts'
import type { Journal } from '../events.ts'
import { readForm, readQuery } from '../parameters.ts'
import type { RateLimiter } from '../rate-limiter.ts'
import { OAuthError, refuse } from '../refusals.ts'
import type { SignedIn } from '../sessions/signed-in-user.ts'
import { listApps } from '../sessions/list-sessions.ts'
import { isSidOf, userOfSubject } from '../tokens/pairwise.ts'
import { frontChannelFrames } from './front-channel.ts'
import type { RenderLogoutPage } from './page.ts'
import {
  type LogoutEvidence,
  type LogoutEvidenceDependencies,
  type LogoutRequest,
  parseLogoutRequest,
  proveLogoutRequest,
} from './request.ts'

export interface LogoutEndpointDependencies extends LogoutEvidenceDependencies {
  readonly issuer: string
  readonly clock: Clock
  readonly journal: Journal
  readonly browsers: Browsers
  /** The host's session. */
  readonly signedIn: (request: ServerRequest) => Promise<SignedIn | undefined>
  /** How long storage keeps the record of an ended session. */
  readonly sessionRetention: DurationSeconds
  /** Counts logout requests by browser. */
  readonly logouts: RateLimiter
}

/** How the host ends its session, and shows the pages of a logout. */
export interface LogoutSettings {
  readonly endSession: (request: ServerRequest) => Promise<readonly Header[]>
  readonly renderPage: RenderLogoutPage
  readonly frontChannel: boolean
}

/**
 * `GET|POST /session/end` (RP-Initiated Logout §2). Signs the browser's user out at once if the request proves that one
 * of the user's clients sent it. Otherwise asks the user.
 */
export const logoutEndpoint =
  (settings: LogoutSettings, deps: LogoutEndpointDependencies): Endpoint =>
  async (request) => {
    // RFC 9110 §9.2.1: HEAD is a safe method, so it must not end a session.
    if (request.method === 'HEAD') return { status: 200, headers: noStore, body: undefined }
    if (request.method === 'POST') return redirectToSelf(request)
    const now = deps.clock()
    const visit = await readVisit(parseLogoutRequest(readQuery(request)), request, deps)
    await limitLogouts(visit, now, deps)
    recordProblem(visit, deps)
    const decision = await decideLogout(visit, deps)
    return decision.kind === 'confirm'
      ? confirmationPage(visit, settings, deps)
      : answerLogout(decision, { visit, isConfirmed: false }, { now, settings, deps })
  }

/**
 * `POST /session/end/confirm`: receives the form of the confirmation page. The user's decision replaces the proof that
 * the request lacks.
 */
export const confirmedLogoutEndpoint =
  (settings: LogoutSettings, deps: LogoutEndpointDependencies): Endpoint =>
  async (request) => {
    // RFC 9700 §4.7: another site must not decide for the user.
    requireSameOrigin(request)
    const now = deps.clock()
    const form = readForm(request)
    const visit = await readVisit(parseLogoutRequest(form), request, deps)
    await limitLogouts(visit, now, deps)
    if (form.get('decision') !== 'sign_out') {
      return settings.renderPage({ ...pageBasics(visit), status: 200, kind: 'signed_in' }, request)
    }
    const { session } = visit
    const decision = session === undefined ? signedOut : ({ kind: 'end', session, reason: 'user' } as const)
    return answerLogout(decision, { visit, isConfirmed: true }, { now, settings, deps })
  }

/** A request, what it proves, and who is signed in to the browser that sent it. */
interface LogoutVisit {
  readonly request: ServerRequest
  readonly logout: LogoutRequest
  readonly evidence: LogoutEvidence
  readonly session: SignedIn | undefined
}

async function readVisit(
  logout: LogoutRequest,
  request: ServerRequest,
  deps: LogoutEndpointDependencies,
): Promise<LogoutVisit> {
  requireNavigation(request)
  const evidence = await proveLogoutRequest(logout, deps)
  return { request, logout, evidence, session: await deps.signedIn(request) }
}

/**
 * Redirects a POST to the same request as a GET. A browser sends a POST from another site without the session's
 * cookies, so the user would appear to be signed out. With the GET, a navigation, it sends the cookies.
 */
function redirectToSelf(request: ServerRequest): ServerResponse {
  const { fields } = parseLogoutRequest(readForm(request))
  const query = new URLSearchParams(fields.map((field) => [...field])).toString()
  return redirect(`${request.url.origin}${request.url.pathname}${query === '' ? '' : `?${query}`}`)
}

/** `end`: revoke the session. `confirm`: ask first. `signed_out`: there is no session in this browser. */
type LogoutDecision =
  | { readonly kind: 'end'; readonly session: SignedIn; readonly reason: SessionEndReason }
  | { readonly kind: 'confirm'; readonly session: SignedIn }
  | { readonly kind: 'signed_out' }

const signedOut = { kind: 'signed_out' } as const

async function decideLogout(
  { session, evidence }: LogoutVisit,
  deps: LogoutEndpointDependencies,
): Promise<LogoutDecision> {
  if (session === undefined) return signedOut
  return (await isProven(evidence, session, deps))
    ? { kind: 'end', session, reason: 'client' }
    : { kind: 'confirm', session }
}

/**
 * Whether the hint belongs to this session. If the hint or the host names no session, only the users are compared, and
 * only the hint of a confidential client is accepted (RP-Initiated Logout §2, §6).
 */
async function isProven(
  { hint, client }: LogoutEvidence,
  session: SignedIn,
  { storage, keys }: LogoutEndpointDependencies,
): Promise<boolean> {
  if (hint === undefined || client === undefined) return false
  if ((await userOfSubject(hint.subject, client, storage)) !== session.subject) return false
  if (hint.sessionId === undefined || session.sessionId === undefined) return client.tokenEndpointAuthMethod !== 'none'
  return isSidOf(hint.sessionId, { session: session.sessionId, client }, keys)
}

interface LogoutStep {
  readonly now: EpochSeconds
  readonly settings: LogoutSettings
  readonly deps: LogoutEndpointDependencies
}

/** Ends the session, if there is one, and responds with the next page. */
async function answerLogout(
  decision: Exclude<LogoutDecision, { kind: 'confirm' }>,
  { visit, isConfirmed }: { readonly visit: LogoutVisit; readonly isConfirmed: boolean },
  step: LogoutStep,
): Promise<ServerResponse> {
  const { request, evidence, logout } = visit
  const headers = decision.kind === 'end' ? await endSession(decision, visit, step) : []
  const frames = decision.kind === 'end' ? await framesOf(decision.session, step) : []
  const mayReturn = isConfirmed || isLegitimate(evidence, decision)
  const continueTo =
    evidence.returnsTo !== undefined && mayReturn ? returnAddress(evidence.returnsTo, logout.state) : undefined
  if (continueTo !== undefined && frames.length === 0) return redirect(continueTo, headers)
  const content = { ...pageBasics(visit), kind: 'signed_out', frames, continueTo } as const
  return withHeaders(step.settings.renderPage(content, request), headers)
}

/**
 * Whether a request that no user has confirmed may redirect the browser (RP-Initiated Logout §3). Anybody can send a hint
 * of an unverified client. It counts only if it has ended a session of its user: otherwise a link to this server could
 * lead to any address on the web.
 */
const isLegitimate = ({ hint, client }: LogoutEvidence, { kind }: LogoutDecision): boolean =>
  hint !== undefined && client !== undefined && (kind === 'end' || isVerified(client, 'post_logout_redirect_uris'))

/** Revokes the session and everything bound to it, then lets the host end its own session. */
async function endSession(
  { session, reason }: Extract<LogoutDecision, { kind: 'end' }>,
  { request, evidence: { client } }: LogoutVisit,
  { now, settings, deps }: LogoutStep,
): Promise<readonly Header[]> {
  if (session.sessionId !== undefined) {
    // A session that no client has joined yet is not stored. Without a tombstone, a request in flight could still join
    // it.
    const tombstoneUntil = after(now, deps.sessionRetention)
    await deps.storage.sessions.revoke({ sessionId: sessionId(session.sessionId), reason, now, tombstoneUntil })
  }
  const headers = await settings.endSession(request)
  deps.journal.record(request, {
    type: 'user.signed_out',
    userId: session.subject,
    sessionId: session.sessionId,
    clientId: client?.clientId,
  })
  return headers
}

const framesOf = async ({ sessionId: id }: SignedIn, { settings, deps }: LogoutStep): Promise<readonly string[]> =>
  settings.frontChannel && id !== undefined ? frontChannelFrames(sessionId(id), deps) : []

/** Adds the unchanged `state`, and nothing else, to the address (RP-Initiated Logout §3). */
const returnAddress = (returnsTo: string, state: string | undefined): string =>
  state === undefined
    ? returnsTo
    : `${returnsTo}${returnsTo.includes('?') ? '&' : '?'}state=${encodeURIComponent(state)}`

async function confirmationPage(
  visit: LogoutVisit,
  { renderPage }: LogoutSettings,
  { issuer, storage }: LogoutEndpointDependencies,
): Promise<ServerResponse> {
  const { request, logout, evidence, session } = visit
  const user = session === undefined ? undefined : await findUserToShow(session, storage)
  return renderPage(
    {
      ...pageBasics(visit),
      kind: 'confirm',
      action: `${issuer}${confirmPath}`,
      fields: logout.fields,
      accountName: user === undefined ? undefined : accountNameOf(user),
      apps: session?.sessionId === undefined ? [] : await listApps(session.sessionId, storage),
      logoutHint: logout.logoutHint,
      returnsTo: evidence.returnsTo,
    },
    request,
  )
}

/** Finds the user. Without the host's table of users, the page shows no name, but users can still sign out. */
async function findUserToShow({ subject }: SignedIn, { users }: OAuthStorage): Promise<UserRecord | undefined> {
  try {
    return await users.find(userId(subject))
  } catch (error) {
    if (error instanceof OAuthError && error.reason === 'users_unavailable') return undefined
    throw error
  }
}

function pageBasics({ logout, evidence: { client, problem } }: LogoutVisit) {
  return {
    status: problem?.status ?? 200,
    problem: problem && { code: problem.code, description: problem.description },
    client: client && {
      clientId: client.clientId,
      clientName: client.clientName,
      unverifiedHost: unverifiedHost(client),
    },
    uiLocales: logout.uiLocales,
  }
}

/**
 * Records the problem for operators. The page still offers to sign out, so that a wrong hint does not keep the user
 * signed in.
 */
function recordProblem({ request, evidence: { problem } }: LogoutVisit, { journal }: LogoutEndpointDependencies): void {
  if (problem !== undefined) journal.record(request, requestRefused(problem, request))
}

/**
 * Counts requests by browser; if the browser refuses the cookie, by session, or by user if the host names no sessions.
 * Requests of a browser without the cookie in which nobody is signed in are not limited, because they change nothing.
 */
async function limitLogouts(
  { request, session }: LogoutVisit,
  now: EpochSeconds,
  { browsers, logouts }: LogoutEndpointDependencies,
): Promise<void> {
  const browser = await browsers.read(request)
  const key = browser ?? session?.sessionId ?? (session && `user ${session.subject}`)
  if (key === undefined) return
  const decision = await logouts.consume(`logout ${key}`, now)
  // RFC 6585 §4.
  if (!decision.allowed)
    throw refuse('logouts_throttled', { userId: session?.subject }, { retryAfter: decision.retryAfter })
}

/** The paths of the two endpoints, relative to the issuer. */
export const logoutPath = '/session/end'
export const confirmPath = '/session/end/confirm'
