import { defineRefusals, type EventStamp } from '@mintmark/internal'
import type { EpochSeconds } from '@mintmark/storage-interface'

/** Every refusal of the transmitter. The reason is also the `error` in the response. */
export const refusals = /* @__PURE__ */ defineRefusals(() => ({
  token_missing: {
    status: 401,
    sentence: 'Send an access token in the Authorization header, as a Bearer token.',
    section: 'SSF 1.0 §8.1',
  },
  token_invalid: { status: 401, sentence: 'The access token is not valid.', section: 'RFC 6750 §3.1' },
  scope_missing: {
    status: 403,
    sentence: 'The access token does not have the scope that this request needs.',
    section: 'RFC 6750 §3.1',
  },
  /** A user cannot consent to events about other users. */
  token_of_user: {
    status: 403,
    sentence: 'The access token must be issued to the receiver itself, and not to a user.',
    section: 'RFC 6750 §3.1',
  },
  client_unknown: {
    status: 403,
    sentence: 'The receiver is not registered, or is disabled.',
    section: 'RFC 6750 §3.1',
  },
  stream_unknown: { status: 404, sentence: 'There is no such stream.', section: 'SSF 1.0 §8.1.1' },
  stream_exists: { status: 409, sentence: 'This receiver already has a stream.', section: 'SSF 1.0 §8.1.1.1' },
  too_many_streams: {
    status: 403,
    sentence: 'This server has the maximum number of streams.',
    section: 'SSF 1.0 §8.1.1.1',
  },
  configuration_invalid: {
    status: 400,
    sentence: 'The request about the stream is not valid.',
    section: 'SSF 1.0 §8.1.1',
  },
  endpoint_invalid: {
    status: 400,
    sentence:
      'The endpoint_url must be an https URL with a host name that resolves to public addresses, and without a port.',
    section: 'RFC 8935 §2',
  },
  status_invalid: {
    status: 400,
    sentence: 'The status must be enabled, paused or disabled.',
    section: 'SSF 1.0 §8.1.2',
  },
  subject_invalid: {
    status: 400,
    sentence: 'The subject must be a subject identifier of RFC 9493.',
    section: 'RFC 9493 §3',
  },
  subject_unknown: { status: 404, sentence: 'There is no such subject.', section: 'SSF 1.0 §8.1.3' },
  subjects_too_many: {
    status: 403,
    sentence: 'The stream leaves out the maximum number of subjects.',
    section: 'SSF 1.0 §8.1.3',
  },
  poll_invalid: { status: 400, sentence: 'The poll request is not valid.', section: 'RFC 8936 §2.2' },
  verified_too_often: {
    status: 429,
    sentence: 'Wait before you ask for another verification event.',
    section: 'SSF 1.0 §8.1.4.2',
  },
  body_malformed: { status: 400, sentence: 'The request body must be a JSON object.', section: 'SSF 1.0 §8.1' },
  media_type: {
    status: 415,
    sentence: 'The Content-Type must be application/json, in UTF-8.',
    section: 'SSF 1.0 §8.1',
  },
  path_not_found: { status: 404, sentence: 'This path does not exist.', section: 'RFC 9110 §15.5.5' },
  method_not_allowed: {
    status: 405,
    sentence: 'This endpoint does not accept this method.',
    section: 'RFC 9110 §15.5.6',
  },
  message_too_large: { status: 413, sentence: 'The request body is too large.', section: 'RFC 9110 §15.5.14' },
  storage_unavailable: {
    status: 503,
    sentence: 'The service is temporarily unavailable. Try again shortly.',
    section: 'RFC 9110 §15.6.4',
  },
  unexpected: { status: 500, sentence: 'The server encountered an internal error.', section: 'RFC 9110 §15.6.1' },
}))

export type SignalRefusalReason = keyof typeof refusals

/** A refused request. `message` is the description in the response: a sentence, and the name of a member. It contains no input. */
export class SignalError extends Error {
  override readonly name = 'SignalError'
  readonly reason: SignalRefusalReason
  readonly status: number
  /** In seconds. */
  readonly retryAfter: number | undefined
  /** The scope value that gives access. */
  readonly scope: string | undefined
  /** The member of the body that is missing or wrong. */
  readonly member: string | undefined

  constructor(reason: SignalRefusalReason, { cause, retryAfter, scope, member }: SignalErrorDetails) {
    const { status, sentence } = refusals[reason]
    super(member === undefined ? sentence : `${sentence} Member: ${member}.`, { cause })
    this.reason = reason
    this.status = status
    this.retryAfter = retryAfter
    this.scope = scope
    this.member = member
  }
}

type SignalErrorDetails = Partial<Pick<SignalError, 'cause' | 'retryAfter' | 'scope' | 'member'>>

/** Creates the error to throw for a refusal. */
export const refuse = (reason: SignalRefusalReason, details: SignalErrorDetails = {}): SignalError =>
  new SignalError(reason, details)

/** What happened at the transmitter. No event contains a token or a credential. */
export type TransmitterOccurrence =
  | {
      readonly type:
        /** A receiver created a stream. */
        | 'stream.created'
        /** A receiver changed the configuration or the status of its stream. */
        | 'stream.changed'
        /** A receiver removed its stream. Events that were not sent are abandoned. */
        | 'stream.removed'
      readonly streamId: string
      readonly clientId: string
    }
  | {
      /** The receiver of a polled stream reported that it cannot use an event. It is not sent again. */
      readonly type: 'event.refused'
      readonly streamId: string
      readonly clientId: string
      readonly jti: string
    }
  | {
      /** The receiver has not polled for longer than changes are kept: it has missed events since then. */
      readonly type: 'stream.gap'
      readonly streamId: string
      readonly clientId: string
      readonly since: EpochSeconds
    }
  | {
      /** A request was refused. Nothing was stored. */
      readonly type: 'request.refused'
      readonly reason: SignalRefusalReason
      readonly method: string
      readonly path: string
      /** The receiver; undefined before it is authenticated. */
      readonly clientId: string | undefined
      /** The member of the body that is missing or wrong. */
      readonly member?: string
      /** The error that caused a response with status 500 or 503. */
      readonly cause: unknown
    }

/** An event of the transmitter, with its time. */
export type TransmitterEvent = TransmitterOccurrence & EventStamp<EpochSeconds>
