import { type RemoteKeySets, verifyIssuerJwt } from '@mintmark/core/internal'
import { type Clock, type EventStamp, isJsonObject, type Journal, type RequestHead } from '@mintmark/internal'
import { findSubject, parseSubject } from '@mintmark/scim/engine'
import {
  type EpochSeconds,
  epochSeconds,
  type JsonObject,
  type JsonValue,
  providerId,
  type ScimStorage,
  type UserId,
} from '@mintmark/storage-interface'
import { decodeJwt } from 'jose/jwt/decode'

/** A transmitter whose events are acted on. */
export interface TrustedTransmitter {
  /** The `iss` of its events. */
  readonly issuer: string
  /** The https URL of its key set. */
  readonly jwksUri: string
  /** The `aud` of events for this server, as the transmitter shows it in the configuration of the stream. */
  readonly audience: string
  /** The identity provider whose users its events are about. Its events reach no other user. */
  readonly providerId: string
  /**
   * What an event about the end of sessions or a changed credential does: CAEP `session-revoked` and `credential-change`, RISC
   * `sessions-revoked` and `credential-compromise`.
   * @defaultValue `revoke_access`: the user is signed out everywhere and can sign in again.
   */
  readonly onSessionsRevoked?: 'revoke_access' | 'ignore'
  /**
   * What an event about a disabled or removed account does: RISC `account-disabled` and `account-purged`.
   * @defaultValue `revoke_access`. With `deactivate`, only an administrator can reactivate the user.
   */
  readonly onAccountDisabled?: 'revoke_access' | 'deactivate' | 'ignore'
}

/**
 * - `revoked`: the user was signed out everywhere. `deactivated`: the user was deactivated.
 * - `ignored`: the policy, or the type of the event, asks for nothing.
 * - `outdated`: the user has signed in since, or got the account since, or the event was issued two weeks ago, so that it may
 *   have been handled before.
 * - `unknown_subject`: the provider has no such user. `repeated`: the event was handled before.
 */
export type SignalOutcome = 'revoked' | 'deactivated' | 'ignored' | 'outdated' | 'unknown_subject' | 'repeated'

/** An event of the receiver. */
export type ReceiverEvent = ReceiverOccurrence & EventStamp<EpochSeconds>

export type ReceiverOccurrence =
  | {
      /** A security event was received. */
      readonly type: 'signal.received'
      readonly transmitter: string
      readonly jti: string
      /** The URI of its type. */
      readonly event: string
      readonly userId: string | undefined
      readonly outcome: SignalOutcome
    }
  | {
      /** A security event token was refused. Nothing was done. */
      readonly type: 'signal.refused'
      /** The `err` of the response (RFC 8935 §2.4), or `unavailable`. */
      readonly reason: ReceiverRefusal
      /** The `iss` that the token claims; undefined for a token of an unknown transmitter. */
      readonly transmitter: string | undefined
      readonly cause: unknown
    }

type ReceiverRefusal = 'invalid_request' | 'invalid_issuer' | 'invalid_audience' | 'invalid_key' | 'unavailable'

/** What the transmitter is told, by `err` (RFC 8935 §2.4, §7.1). */
const descriptions: Readonly<Record<ReceiverRefusal, string>> = {
  invalid_request: 'The request body is not a security event token of RFC 8417 with one event and one subject.',
  invalid_issuer: 'Events of this issuer are not accepted.',
  invalid_audience: 'The event is for another receiver.',
  invalid_key: 'The signature is not valid.',
  unavailable: 'The service is temporarily unavailable. Try again shortly.',
}

export class ReceiverError extends Error {
  override readonly name = 'ReceiverError'
  readonly reason: ReceiverRefusal
  readonly transmitter: string | undefined

  constructor(reason: ReceiverRefusal, more: { readonly transmitter?: string; readonly cause?: unknown } = {}) {
    super(descriptions[reason], { cause: more.cause })
    this.reason = reason
    this.transmitter = more.transmitter
  }
}

export interface ReceiverDependencies {
  readonly issuer: string
  readonly storage: ScimStorage
  readonly transmitters: readonly TrustedTransmitter[]
  readonly keySets: RemoteKeySets
  readonly deactivate: (user: UserId, now: EpochSeconds) => Promise<void>
  readonly clock: Clock
  readonly journal: Journal<ReceiverOccurrence>
}

/** Verifies a security event token and acts on it. @throws ReceiverError */
export async function receiveToken(
  token: string,
  request: RequestHead | undefined,
  deps: ReceiverDependencies,
): Promise<SignalOutcome> {
  const { journal } = deps
  const verified = await verifyToken(token, deps)
  const { transmitter, jti, event } = verified
  const { outcome, user } = await actOn(verified, deps)
  const occurrence = {
    type: 'signal.received',
    transmitter: transmitter.issuer,
    jti,
    event,
    userId: user,
    outcome,
  } as const
  if (request === undefined) journal.recordWithoutRequest(occurrence)
  else journal.record(request, occurrence)
  return outcome
}

/** A security event whose signature, issuer and audience are valid. */
interface VerifiedEvent {
  readonly transmitter: TrustedTransmitter
  readonly jti: string
  readonly event: string
  readonly subject: JsonObject
  readonly issuedAt: EpochSeconds
  /** When it happened, as far as the transmitter says. */
  readonly happenedAt: EpochSeconds
}

/** @throws ReceiverError */
async function verifyToken(token: string, deps: ReceiverDependencies): Promise<VerifiedEvent> {
  const claimed = partiesOf(token)
  // The tenants of one issuer are told apart by the audience.
  const ofIssuer = deps.transmitters.filter(({ issuer }) => issuer === claimed?.issuer)
  const transmitter = ofIssuer.find(({ audience }) => claimed?.audiences.includes(audience)) ?? ofIssuer[0]
  if (transmitter === undefined) throw new ReceiverError(claimed === undefined ? 'invalid_request' : 'invalid_issuer')
  const { issuer, jwksUri, audience } = transmitter
  const now = deps.clock()
  const verified = await verifyIssuerJwt(token, { keys: { issuer, jwks: undefined, jwksUri }, now }, deps.keySets)
  if (verified === undefined) throw new ReceiverError('invalid_key', { transmitter: issuer })
  const { header, claims } = verified
  const { aud, jti, iat, exp, events, sub_id: subjectId } = claims
  const isForUs = aud === audience || (Array.isArray(aud) && aud.includes(audience))
  if (!isForUs) throw new ReceiverError('invalid_audience', { transmitter: issuer })
  // RFC 8725 §3.11: an ID token of the transmitter is not an event.
  const isEvent = header.typ?.toLowerCase() === 'secevent+jwt'
  const [entry, ...others] = isJsonObject(events) ? Object.entries(events) : []
  const isIssued = typeof iat === 'number' && iat > 0 && iat <= now + clockSkew && exp === undefined
  if (!isEvent || typeof jti !== 'string' || jti === '' || entry === undefined || others.length > 0 || !isIssued)
    throw new ReceiverError('invalid_request', { transmitter: issuer })
  const [event, payload] = entry
  // Transmitters that follow an earlier draft put the subject into the event.
  const subject = subjectId ?? (isJsonObject(payload) ? payload['subject'] : undefined)
  if (!isJsonObject(subject)) throw new ReceiverError('invalid_request', { transmitter: issuer })
  const issuedAt = epochSeconds(iat)
  return { transmitter, jti, event, subject, issuedAt, happenedAt: timeOf(payload, issuedAt) }
}

/** In seconds: how far the clock of a transmitter may be off. */
const clockSkew = 60

/** Reads, without verifying anything, who claims to have issued a token, and for whom. */
function partiesOf(token: string): { readonly issuer: string; readonly audiences: readonly unknown[] } | undefined {
  try {
    const { iss, aud } = decodeJwt<{ iss: unknown; aud: unknown }>(token)
    return typeof iss === 'string' ? { issuer: iss, audiences: [aud].flat() } : undefined
  } catch {
    // jose throws for a text that is not a JWT.
    return undefined
  }
}

/** CAEP counts seconds; some transmitters send milliseconds. */
function timeOf(payload: JsonValue, issuedAt: EpochSeconds): EpochSeconds {
  const time = isJsonObject(payload) ? payload['event_timestamp'] : undefined
  if (typeof time !== 'number' || !(time > 0)) return issuedAt
  return epochSeconds(Math.floor(Math.min(time > 100_000_000_000 ? time / 1000 : time, issuedAt)))
}

const caep = 'https://schemas.openid.net/secevent/caep/event-type'
const risc = 'https://schemas.openid.net/secevent/risc/event-type'
const sessionEvents = new Set([
  `${caep}/session-revoked`,
  `${caep}/credential-change`,
  `${risc}/sessions-revoked`,
  `${risc}/credential-compromise`,
])
const accountEvents = new Set([`${risc}/account-disabled`, `${risc}/account-purged`])

function actionOf({ transmitter, event }: VerifiedEvent): 'revoke_access' | 'deactivate' | 'ignore' {
  if (sessionEvents.has(event)) return transmitter.onSessionsRevoked ?? 'revoke_access'
  return accountEvents.has(event) ? (transmitter.onAccountDisabled ?? 'revoke_access') : 'ignore'
}

interface ActedOn {
  readonly outcome: SignalOutcome
  readonly user?: UserId
}

/** Acts on an event, and marks it as handled afterwards: after a crash between the two, the transmitter sends it again, and it is acted on again. */
async function actOn(verified: VerifiedEvent, deps: ReceiverDependencies): Promise<ActedOn> {
  const { storage, clock } = deps
  const action = actionOf(verified)
  if (action === 'ignore') return { outcome: 'ignored' }
  const now = clock()
  const { transmitter, jti, issuedAt } = verified
  // Whether it was handled before is not known any more: somebody may have kept it and sent it again.
  if (now >= issuedAt + rememberFor) return { outcome: 'outdated' }
  const value = JSON.stringify([transmitter.issuer, jti])
  const markUntil = (expiresAt: EpochSeconds) => storage.replays.markUsed({ purpose: 'set_jti', value, expiresAt, now })
  // A mark that expires at once only tells whether there is one.
  if ((await markUntil(now)).outcome !== 'fresh') return { outcome: 'repeated' }
  const user = await userOf(verified, deps)
  if (user === undefined) return { outcome: 'unknown_subject' }
  if (await isOutdated(user, { verified, action }, deps)) return { outcome: 'outdated', user }
  if (action === 'deactivate') await deps.deactivate(user, now)
  else await storage.users.revokeAccess(user, now)
  // An `iat` in the future is one of a clock that is ahead.
  await markUntil(epochSeconds(Math.max(now, issuedAt) + rememberFor))
  return { outcome: action === 'deactivate' ? 'deactivated' : 'revoked', user }
}

/** In seconds: transmitters repeat an event for days. */
const rememberFor = 14 * 86_400

/** Whether the event is about an earlier account, or the user has signed in after it, and so has proved who they are since. */
async function isOutdated(
  user: UserId,
  { verified, action }: { readonly verified: VerifiedEvent; readonly action: 'revoke_access' | 'deactivate' },
  { storage, clock }: ReceiverDependencies,
): Promise<boolean> {
  const stored = await storage.users.find(user)
  // The name of somebody who has left may be given to somebody else.
  if (stored !== undefined && verified.issuedAt + clockSkew < stored.createdAt) return true
  if (action === 'deactivate') return false
  const sessions = await storage.sessions.listByUser(user, clock())
  const current = sessions.filter(({ userGeneration }) => userGeneration === stored?.generation)
  return current.length > 0 && current.every(({ authTime }) => authTime > verified.happenedAt)
}

/** Finds the user of the provider: the subject itself, or the user in a complex subject (SSF 1.0 §3.1). */
async function userOf(
  { subject, transmitter }: VerifiedEvent,
  { issuer, storage }: ReceiverDependencies,
): Promise<UserId | undefined> {
  const provider = await storage.identityProviders.find(providerId(transmitter.providerId))
  if (provider === undefined || provider.disabledAt !== undefined) return undefined
  const { user } = subject
  const parsed = parseSubject(isJsonObject(user) ? user : subject)
  if (parsed === undefined) return undefined
  return findSubject(parsed, { provider, providerIssuer: transmitter.issuer, issuer, storage })
}
