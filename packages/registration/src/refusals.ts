import { defineRefusals, type EventStamp, type RefusalRow } from '@mintmark/internal'
import type { EpochSeconds } from '@mintmark/storage-interface'

/** Every refusal. Invalid metadata has no sentence here: the response says which member is invalid. */
export const refusals = /* @__PURE__ */ defineRefusals(() => ({
  token_missing: {
    status: 401,
    sentence: 'Send an initial access token in the Authorization header, as a Bearer token.',
    section: 'RFC 7591 §3',
  },
  token_invalid: {
    status: 401,
    code: 'invalid_token',
    sentence: 'The initial access token is not valid.',
    section: 'RFC 6750 §3.1',
  },
  token_exhausted: {
    status: 403,
    code: 'access_denied',
    sentence: 'The initial access token has registered its maximum number of clients.',
    section: 'RFC 7591 §5',
  },
  registration_token_missing: {
    status: 401,
    sentence: 'Send the registration access token in the Authorization header, as a Bearer token.',
    section: 'RFC 7592 §2',
  },
  /** The token is wrong, the client is unknown or removed, or an administrator has changed it since it registered. */
  registration_token_invalid: {
    status: 401,
    code: 'invalid_token',
    sentence: 'The registration access token is not valid.',
    section: 'RFC 7592 §2',
  },
  client_disabled: {
    status: 403,
    code: 'access_denied',
    sentence: 'An administrator has disabled this client.',
    section: 'RFC 7592 §2',
  },
  client_changed: {
    status: 409,
    code: 'invalid_request',
    sentence: 'The registration has changed since it was read. Read it again.',
    section: 'RFC 9110 §15.5.10',
  },
  too_many_requests: {
    status: 429,
    code: 'temporarily_unavailable',
    sentence: 'Too many requests. Try again later.',
    section: 'RFC 6585 §4',
  },
  path_not_found: {
    status: 404,
    code: 'not_found',
    sentence: 'This path does not exist.',
    section: 'RFC 9110 §15.5.5',
  },
  method_not_allowed: {
    status: 405,
    code: 'invalid_request',
    sentence: 'This endpoint does not accept this method.',
    section: 'RFC 9110 §15.5.6',
  },
  message_too_large: {
    status: 413,
    code: 'invalid_request',
    sentence: 'The request body is too large.',
    section: 'RFC 9110 §15.5.14',
  },
  media_type: {
    status: 415,
    code: 'invalid_request',
    sentence: 'The Content-Type must be application/json, in UTF-8.',
    section: 'RFC 7591 §3.1',
  },
  body_malformed: {
    status: 400,
    code: 'invalid_client_metadata',
    sentence: 'The request body must be a JSON object.',
    section: 'RFC 7591 §3.1',
  },
  metadata_invalid: { status: 400, code: 'invalid_client_metadata', section: 'RFC 7591 §3.2.2' },
  redirect_uri_invalid: { status: 400, code: 'invalid_redirect_uri', section: 'RFC 7591 §3.2.2' },
  statement_invalid: {
    status: 400,
    code: 'invalid_software_statement',
    sentence: 'The software statement is not valid: its signature, its lifetime or a claim is wrong.',
    section: 'RFC 7591 §3.2.2',
  },
  statement_unapproved: {
    status: 400,
    code: 'unapproved_software_statement',
    sentence: 'This server does not trust the issuer of the software statement.',
    section: 'RFC 7591 §3.2.2',
  },
  statement_missing: {
    status: 400,
    code: 'invalid_software_statement',
    sentence: 'The client was registered with a software statement. Send a software statement of the same issuer.',
    section: 'RFC 7592 §2.2',
  },
  storage_unavailable: {
    status: 503,
    code: 'temporarily_unavailable',
    sentence: 'The service is temporarily unavailable. Try again shortly.',
    section: 'RFC 9110 §15.6.4',
  },
  unexpected: {
    status: 500,
    code: 'server_error',
    sentence: 'The server encountered an internal error.',
    section: 'RFC 9110 §15.6.1',
  },
}))

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

  constructor(reason: RegistrationRefusalReason, details: RegistrationErrorDetails) {
    const { status, code, sentence }: RefusalRow & { readonly status: number } = refusals[reason]
    super(details.description ?? sentence, { cause: details.cause })
    this.reason = reason
    this.status = status
    this.code = code
    this.retryAfter = details.retryAfter
  }
}

interface RegistrationErrorDetails {
  /** Instead of the sentence of the refusal. */
  readonly description?: string
  readonly cause?: unknown
  readonly retryAfter?: number
}

/** Creates the error to throw for a refusal. */
export const refuse = (reason: RegistrationRefusalReason, details: RegistrationErrorDetails = {}): RegistrationError =>
  new RegistrationError(reason, details)

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
