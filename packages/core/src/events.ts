import {
  type Clock,
  createJournal,
  type EventStamp,
  identifierSeries,
  type Journal as HttpJournal,
  type Random,
} from '@mintmark/internal'
import type { EpochSeconds } from '@mintmark/storage-interface'
import type { OAuthErrorCode, RefusalContext, RefusalReason } from './refusals.ts'

/**
 * What happened, or was refused: one event for each. Identifiers are internal names that open nothing; no event holds a
 * token, a code, a secret or a claim about a person.
 */
export type ServerEvent = ServerOccurrence & EventStamp<EpochSeconds>

/** An event before it is dated. */
export type ServerOccurrence =
  | RequestRefused
  | {
      /** At start: an option is set that weakens the server. */
      readonly type: 'option.unsafe'
      readonly option: string
      /** What it means, and when it is bearable. */
      readonly advice: string
    }
  | {
      /** A person has to sign in or to consent. */
      readonly type: 'interaction.started'
      readonly kind: 'login' | 'consent'
      readonly clientId: string
    }
  | {
      /** A person said no, or is nobody who may sign in. */
      readonly type: 'interaction.denied'
      readonly clientId: string
      /** `user_unknown`: the host signed in a subject that `storage.users` has no account for. */
      readonly reason: 'user_denied' | 'user_inactive' | 'user_unknown'
    }
  | {
      /** A person is sent back to the client with a code. */
      readonly type: 'code.issued'
      readonly clientId: string
      readonly userId: string
      readonly grantId: string
      readonly scopes: readonly string[]
    }
  | {
      /** A client got tokens, by whatever grant. */
      readonly type: 'tokens.issued'
      readonly grantType: string
      readonly clientId: string
      /** The person, or the client that acts for itself. */
      readonly subject: string
      /** Undefined when the client acts for itself. */
      readonly familyId: string | undefined
      readonly scopes: readonly string[]
      readonly audience: readonly string[]
    }
  | {
      /** A resource server asked about a token. */
      readonly type: 'token.introspected'
      readonly clientId: string
      readonly active: boolean
    }
  | {
      /** A client revoked a token (RFC 7009). */
      readonly type: 'token.revoked'
      readonly clientId: string
      /** `family`: a refresh token and everything issued from it. `nothing`: the token was unknown, or another client's. */
      readonly revoked: 'family' | 'access_token' | 'nothing'
    }
  | {
      /** A resource server received revocations from the feed. */
      readonly type: 'revocations.delivered'
      readonly clientId: string
      readonly count: number
    }
  | {
      /** A client was told about a person. */
      readonly type: 'userinfo.answered'
      readonly clientId: string
      readonly userId: string
    }

/** A refusal, with the reason that the client is not told. */
export interface RequestRefused {
  readonly type: 'request.refused'
  readonly method: string
  readonly path: string
  readonly code: OAuthErrorCode
  /** `code_replayed` and `refresh_token_reused` have ended the token family. */
  readonly reason: RefusalReason
  readonly context: RefusalContext
  /** The failure behind `server_error` and `temporarily_unavailable`. */
  readonly cause: unknown
}

/** Receives the events of a server. What it throws is dropped: a log that is down must not fail a request. */
export type EventListener = (event: ServerEvent) => void | Promise<void>

/** Where endpoints write what happened. */
export type Journal = HttpJournal<ServerOccurrence>

/** The journal of an authorization server. */
export const openJournal = (
  listener: EventListener,
  { clock, random }: { readonly clock: Clock; readonly random: Random },
): Journal =>
  createJournal<ServerOccurrence, EpochSeconds>(listener, { clock, newIdentifier: identifierSeries(random) })
