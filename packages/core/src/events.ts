import type { JsonObject, JsonValue } from '@mintmark/storage-interface'
import {
  type Clock,
  createJournal,
  type EventStamp,
  randomIdentifiers,
  type Journal as HttpJournal,
  type Random,
} from '@mintmark/internal'
import type { EpochSeconds } from '@mintmark/storage-interface'
import type { SessionEndReason } from '@mintmark/storage-interface/stores'
import type { OAuthErrorCode, RefusalContext, RefusalReason } from './refusals.ts'

/**
 * Something that the server did or refused. No event contains a token, a code, a secret or a claim about a user, and no
 * identifier in an event gives access to anything.
 */
export type ServerEvent = ServerOccurrence & EventStamp<EpochSeconds>

/** An event without its time and its correlation id. */
export type ServerOccurrence =
  | RequestRefused
  | DeliveryAccepted
  | DeliveryFailed
  | DeliveryDead
  | DeliveryGap
  | DeliveryUnattended
  | DeliveryInterrupted
  | {
      /** At start-up: an option weakens the security of the server, or the issuer is new in a database that others use. */
      readonly type: 'option.unsafe'
      readonly option: string
      /** What the option does, and when it is acceptable. */
      readonly advice: string
    }
  | {
      /**
       * A user was sent to the sign-in page, but neither `pages` nor `interaction.loginUrl` is set: perhaps nothing answers
       * there. Reported once in a process.
       */
      readonly type: 'pages.missing'
      /** The address of the page. */
      readonly url: string
    }
  | {
      /** A client pushed an authorization request (RFC 9126). */
      readonly type: 'request.pushed'
      readonly clientId: string
    }
  | {
      /**
       * The metadata document of a client now contains another client name, redirect host or key. Users are asked for
       * consent again.
       */
      readonly type: 'client.changed'
      readonly clientId: string
    }
  | SignInOccurrence
  | {
      /**
       * A page of an origin that none of the client's redirect URIs has sent a request. It was answered like any other,
       * perhaps with tokens, but the browser does not show the response to the page (Fetch §3.3).
       */
      readonly type: 'origin.refused'
      readonly clientId: string
      readonly origin: string
    }
  | {
      /** A user has to sign in, choose an account or consent. */
      readonly type: 'interaction.started'
      readonly kind: 'login' | 'select_account' | 'consent'
      readonly clientId: string
    }
  | {
      /**
       * A user has signed in and arrives at the next page, but this process finds neither the sign-in nor a session: the storage
       * of another process has them, or the user has signed out meanwhile. The user has to sign in again.
       */
      readonly type: 'sign_in.lost'
      readonly clientId: string
    }
  | {
      /**
       * The host's page completed a sign-in that the request does not accept, so the user has to sign in again. If it happens
       * at each sign-in, the page passes the time of an earlier one, and the user never arrives.
       */
      readonly type: 'sign_in.insufficient'
      readonly clientId: string
      readonly userId: string
      /**
       * `not_new`: the request demands a new sign-in, for `prompt`, `max_age` or `acr`, and `authTime` is of an earlier one.
       * `other_user`: the request is for another user. `in_future`: `authTime` is ahead of the clock of this server.
       */
      readonly reason: 'not_new' | 'other_user' | 'in_future'
    }
  | {
      /** The user denied consent, or may not sign in. */
      readonly type: 'interaction.denied'
      readonly clientId: string
      /** The user, or the subject that the host signed in; undefined if nobody has signed in. */
      readonly userId?: string | undefined
      /** `user_unknown`: the host signed in a subject that is not in `storage.users`. */
      readonly reason: 'user_denied' | 'user_inactive' | 'user_unknown'
    }
  | {
      /** A user is redirected to the client with a code. */
      readonly type: 'code.issued'
      readonly clientId: string
      readonly userId: string
      readonly grantId: string
      readonly scopes: readonly string[]
      /**
       * At most 20 of the requested scope values that are not granted: values that no API defines, that the client is
       * not registered for, or that belong to another API. What the user did not consent to is not among them.
       */
      readonly omittedScopes: readonly string[]
      /** A recommendation to use PKCE for this client; undefined if the request had a PKCE challenge. */
      readonly advice: string | undefined
    }
  | {
      /** A client asked for the approval of a user on another device (RFC 8628 §3.1, CIBA Core 1.0 §7). */
      readonly type: 'request.asked'
      readonly kind: 'device' | 'ciba'
      readonly clientId: string
      /** The user whom the client named; a device does not know its user. */
      readonly userId?: string
      readonly scopes: readonly string[]
      /** At most 20 of the requested scope values that were left out, because the client is not registered for them. */
      readonly omittedScopes: readonly string[]
    }
  | {
      /** A user decided about a request from another device. */
      readonly type: 'request.decided'
      readonly kind: 'device' | 'ciba'
      readonly decision: 'approved' | 'denied'
      readonly clientId: string
      /** Undefined if the request was denied before anybody signed in. */
      readonly userId: string | undefined
      /** Undefined if the request was denied. */
      readonly grantId?: string
      readonly scopes?: readonly string[]
    }
  | {
      /** Somebody entered a user code that belongs to no pending request: a typing error, or a guess (RFC 8628 §5.1). */
      readonly type: 'user_code.unknown'
    }
  | {
      /** A client got tokens, by any grant type. */
      readonly type: 'tokens.issued'
      readonly grantType: string
      readonly clientId: string
      /** The user, or the client that acts for itself. */
      readonly subject: string
      /** Undefined when the client acts for itself. */
      readonly familyId: string | undefined
      readonly scopes: readonly string[]
      /** At most 20 of the scope values that the token request names and that are not granted. */
      readonly omittedScopes: readonly string[]
      readonly audience: readonly string[]
      /**
       * With a token that was exchanged (RFC 8693): whether it names the client as `act`, the identifiers of the families and
       * tokens before it, and the parties that act for the user. With an ID token, there are none before it.
       */
      readonly exchange:
        | {
            readonly mode: 'delegation' | 'impersonation'
            readonly parents: readonly string[]
            readonly tokenIds: readonly string[]
            readonly act?: JsonObject
          }
        | undefined
      /**
       * With a token for the assertion of another issuer: the issuer, its directory, `jti` and `sub` of the assertion, and the party
       * that acts for the user according to it.
       */
      readonly assertion:
        | {
            readonly issuer: string
            readonly providerId: string | undefined
            readonly tokenId: string
            readonly subject: string
            readonly act?: JsonValue
          }
        | undefined
      /** The claims that `overflow: 'omit'` left out because they did not fit into the access token; usually none. */
      readonly omittedClaims: readonly string[]
    }
  | {
      /**
       * A client got an ID-JAG: it can act for a user at another authorization server, whose issuer is the audience
       * (draft-ietf-oauth-identity-assertion-authz-grant).
       */
      readonly type: 'assertion.issued'
      readonly clientId: string
      /** The identifier of the user at this server. */
      readonly subject: string
      readonly audience: string
      readonly scopes: readonly string[]
      readonly resources: readonly string[]
      /** The `jti`. */
      readonly tokenId: string
    }
  | {
      /**
       * The option `claims` returned claims that the client did not receive, because none of the granted scope values
       * releases them and the request does not name them. Reported once for each client and name in a process.
       */
      readonly type: 'claims.unreleased'
      readonly clientId: string
      readonly destination: 'id_token' | 'userinfo'
      readonly names: readonly string[]
    }
  | {
      /** A user signed out, at a client or at this server (RP-Initiated Logout §2). */
      readonly type: 'user.signed_out'
      readonly userId: string
      /** Undefined when the host does not identify sessions. */
      readonly sessionId: string | undefined
      /** The client that the logout request names; undefined if it names none. */
      readonly clientId: string | undefined
    }
  | {
      /** The host ended a session. The tokens that were bound to it are revoked. */
      readonly type: 'session.ended'
      readonly sessionId: string
      readonly reason: SessionEndReason
    }
  | {
      /** A resource server, or another client, introspected a token (RFC 7662). */
      readonly type: 'token.introspected'
      readonly clientId: string
      readonly active: boolean
    }
  | {
      /** A client revoked a token (RFC 7009). */
      readonly type: 'token.revoked'
      readonly clientId: string
      /**
       * `family`: a refresh token and everything issued from it. `nothing`: the token was unknown, or another client's.
       */
      readonly revoked: 'family' | 'access_token' | 'nothing'
    }
  | {
      /** A client queried one of its grants (Grant Management §6.4). */
      readonly type: 'grant.queried'
      readonly clientId: string
      readonly userId: string
      readonly grantId: string
    }
  | {
      /** A client revoked a grant and everything that was issued under it (Grant Management §6.5). */
      readonly type: 'grant.revoked'
      readonly clientId: string
      readonly userId: string
      readonly grantId: string
    }
  | {
      /** A resource server received revocations from the feed. */
      readonly type: 'revocations.delivered'
      readonly clientId: string
      readonly count: number
    }
  | {
      /** A client received claims about a user. */
      readonly type: 'userinfo.answered'
      readonly clientId: string
      readonly userId: string
    }

/** What `limitSignIns` reports. */
type SignInOccurrence =
  | {
      /** A password or another proof was wrong, as the host's sign-in page reported. */
      readonly type: 'sign_in.failed'
      /** The network of the browser: the first 24 bits of an IPv4 address, the first 48 of an IPv6 address. */
      readonly network: string | undefined
    }
  | {
      /** A sign-in attempt was refused before the password was checked. */
      readonly type: 'sign_in.throttled'
      /** The limit that was reached: that of the account or that of the address. */
      readonly limit: 'account' | 'address'
      readonly network: string | undefined
      /** After how many seconds an attempt is allowed again. */
      readonly retryAfter: number
    }
  | {
      /**
       * The first twenty attempts came from one address that is not public, probably a proxy's. Then all users share one
       * limit. Make the framework use the header of the proxy, such as `trust proxy` in Express. Reported once.
       */
      readonly type: 'sign_in.one_address'
      readonly network: string | undefined
    }

/** An attempt to deliver a message to a client, such as a logout token (Back-Channel Logout §2.5). */
interface DeliveryAttempt {
  readonly channel: string
  readonly deliveryId: string
  readonly clientId: string
  /** The number of attempts, including this one. */
  readonly attempts: number
}

interface DeliveryAccepted extends DeliveryAttempt {
  /** A client accepted a message, such as a logout token. */
  readonly type: 'delivery.delivered'
}

interface DeliveryFailed extends DeliveryAttempt {
  /** An attempt to deliver a message failed. The server will try again. */
  readonly type: 'delivery.failed'
  /** Such as `timeout`, `unreachable` or `http_500`. */
  readonly failure: string
  readonly retryAt: EpochSeconds
}

interface DeliveryDead extends DeliveryAttempt {
  /** The server abandoned a message that it could not deliver. An administrator can requeue it. */
  readonly type: 'delivery.dead'
  /** The failure of the last attempt, such as `http_400`, `client_gone` or `not_public`. */
  readonly failure: string
  /** The seconds since the message was enqueued. */
  readonly age: number
}

interface DeliveryGap {
  /**
   * No server read the list of revocations or changes for longer than its entries are kept. No messages will be
   * sent about the purged entries.
   */
  readonly type: 'delivery.gap'
  readonly channel: string
  /** When the list was last read to its end. */
  readonly since: EpochSeconds
}

interface DeliveryUnattended {
  /**
   * Messages were sent after a request, because nobody has called `server.deliver` in this process. Failed messages wait
   * for another request. Reported once in a process.
   */
  readonly type: 'delivery.unattended'
}

interface DeliveryInterrupted {
  /** Deliveries stopped because of a failure inside the server, such as a storage outage. They resume automatically. */
  readonly type: 'delivery.interrupted'
  readonly channel: string
  readonly cause: unknown
}

/** A request was refused. The event has the reason, which the client does not see. */
export interface RequestRefused {
  readonly type: 'request.refused'
  readonly method: string
  readonly path: string
  readonly code: OAuthErrorCode
  /** With `code_replayed` and `refresh_token_reused`, the token family was revoked. */
  readonly reason: RefusalReason
  readonly context: RefusalContext
  /** The error that caused `server_error` or `temporarily_unavailable`. */
  readonly cause: unknown
}

/**
 * Receives the events of a server. Exceptions that it throws are ignored, so that a failing log does not fail a
 * request.
 */
export type EventListener = (event: ServerEvent) => void | Promise<void>

/** Where endpoints report events. */
export type Journal = HttpJournal<ServerOccurrence>

/** Creates the journal of an authorization server. */
export const openJournal = (
  listener: EventListener,
  { clock, random }: { readonly clock: Clock; readonly random: Random },
): Journal =>
  // Error pages show the correlation id. A counter in it would tell visitors how many requests others send.
  createJournal<ServerOccurrence, EpochSeconds>(listener, {
    clock,
    newIdentifier: randomIdentifiers(random),
  })
