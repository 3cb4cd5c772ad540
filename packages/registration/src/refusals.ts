import type { EventStamp } from '@mintmark/internal'
import type { EpochSeconds } from '@mintmark/storage-interface'

/** Every refusal: its reason, with the status, code and sentence of the response, and the section of the standard. */
export const refusals = {
  token_missing: [
    401,
    undefined,
    'Send an initial access token in the Authorization header, as a Bearer token.',
    'RFC 7591 §3',
  ],
  token_invalid: [401, 'invalid_token', 'The initial access token is not valid.', 'RFC 6750 §3.1'],
  token_exhausted: [
    403,
    'access_denied',
    'The initial access token has registered its maximum number of clients.',
    'RFC 7591 §5',
  ],
  registration_token_missing: [
    401,
    undefined,
    'Send the registration access token in the Authorization header, as a Bearer token.',
    'RFC 7592 §2',
  ],
  /** The token is wrong, the client is unknown or removed, or an administrator has changed it since it registered. */
  registration_token_invalid: [401, 'invalid_token', 'The registration access token is not valid.', 'RFC 7592 §2'],
  client_disabled: [403, 'access_denied', 'An administrator has disabled this client.', 'RFC 7592 §2'],
  client_changed: [
    409,
    'invalid_request',
    'The registration has changed since it was read. Read it again.',
    'RFC 9110 §15.5.10',
  ],
  too_many_requests: [429, 'temporarily_unavailable', 'Too many requests. Try again later.', 'RFC 6585 §4'],
  path_not_found: [404, 'not_found', 'This path does not exist.', 'RFC 9110 §15.5.5'],
  method_not_allowed: [405, 'invalid_request', 'This endpoint does not accept this method.', 'RFC 9110 §15.5.6'],
  message_too_large: [413, 'invalid_request', 'The request body is too large.', 'RFC 9110 §15.5.14'],
  media_type: [415, 'invalid_request', 'The Content-Type must be application/json, in UTF-8.', 'RFC 7591 §3.1'],
  body_malformed: [400, 'invalid_client_metadata', 'The request body must be a JSON object.', 'RFC 7591 §3.1'],
  metadata_invalid: [400, 'invalid_client_metadata', undefined, 'RFC 7591 §3.2.2'],
  redirect_uri_invalid: [400, 'invalid_redirect_uri', undefined, 'RFC 7591 §3.2.2'],
  statement_invalid: [
    400,
    'invalid_software_statement',
    'The software statement is not valid: its signature, its lifetime or a claim is wrong.',
    'RFC 7591 §3.2.2',
  ],
  statement_unapproved: [
    400,
    'unapproved_software_statement',
    'This server does not trust the issuer of the software statement.',
    'RFC 7591 §3.2.2',
  ],
  statement_missing: [
    400,
    'invalid_software_statement',
    'The client was registered with a software statement. Send a software statement of the same issuer.',
    'RFC 7592 §2.2',
  ],
  storage_unavailable: [
    503,
    'temporarily_unavailable',
    'The service is temporarily unavailable. Try again shortly.',
    'RFC 9110 §15.6.4',
  ],
  unexpected: [500, 'server_error', 'The server encountered an internal error.', 'RFC 9110 §15.6.1'],
} as const satisfies Record<string, readonly [number, string | undefined, string | undefined, string]>

export type RegistrationRefusalReason = keyof typeof refusals

/**
 * A refused registration. `message` is the sentence of the response; it contains no input except names of client
 * metadata fields.
 */
export class RegistrationError extends Error {
  override readonly name = 'RegistrationError'
  readonly reason: RegistrationRefusalReason
  readonly status: number
  readonly code: string | undefined
  /** In seconds. */
  readonly retryAfter: number | undefined

  constructor(
    reason: RegistrationRefusalReason,
    details: { readonly description?: string; readonly cause?: unknown; readonly retryAfter?: number } = {},
  ) {
    const [status, code, sentence] = refusals[reason]
    super(details.description ?? sentence, { cause: details.cause })
    this.reason = reason
    this.status = status
    this.code = code
    this.retryAfter = details.retryAfter
  }
}

/** What happened at the registration endpoint. No event contains a secret. */
export type RegistrationOccurrence =
  | {
      /**
       * A client registered itself. Without a token and a statement, it is not stored until a user consents to it (open
       * registration).
       */
      readonly type: 'client.registered'
      readonly clientId: string
      /** The identifier of the initial access token, if there was one. */
      readonly tokenId: string | undefined
      /** The issuer of the software statement, if there was one. */
      readonly statementIssuer: string | undefined
    }
  | {
      /** A client changed its registration. */
      readonly type: 'client.changed'
      readonly clientId: string
    }
  | {
      /** A client removed itself. Everything that was issued to it is now invalid. */
      readonly type: 'client.removed'
      readonly clientId: string
    }
  | {
      /** A registration or a change to a registration was refused. Nothing was stored. */
      readonly type: 'registration.refused'
      readonly reason: RegistrationRefusalReason
      /** The sentence of the response. */
      readonly description: string
      /** The error that caused a response with status 500 or 503. */
      readonly cause: unknown
    }

/** An event of the registration endpoint, with its time. */
export type RegistrationEvent = RegistrationOccurrence & EventStamp<EpochSeconds>
