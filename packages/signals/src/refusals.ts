import type { EventStamp } from '@mintmark/internal'
import type { EpochSeconds } from '@mintmark/storage-interface'

/** Every refusal of the transmitter: its reason, with the status and sentence of the response, and the section of the standard. */
export const refusals = {
  token_missing: [401, 'Send an access token in the Authorization header, as a Bearer token.', 'SSF 1.0 §8.1'],
  token_invalid: [401, 'The access token is not valid.', 'RFC 6750 §3.1'],
  scope_missing: [403, 'The access token does not have the scope that this request needs.', 'RFC 6750 §3.1'],
  /** A user cannot consent to events about other users. */
  token_of_user: [403, 'The access token must be issued to the receiver itself, and not to a user.', 'RFC 6750 §3.1'],
  client_unknown: [403, 'The receiver is not registered, or is disabled.', 'RFC 6750 §3.1'],
  stream_unknown: [404, 'There is no such stream.', 'SSF 1.0 §8.1.1'],
  stream_exists: [409, 'This receiver already has a stream.', 'SSF 1.0 §8.1.1.1'],
  too_many_streams: [403, 'This server has the maximum number of streams.', 'SSF 1.0 §8.1.1.1'],
  configuration_invalid: [400, 'The configuration of the stream is not valid.', 'SSF 1.0 §8.1.1'],
  endpoint_invalid: [
    400,
    'The endpoint_url must be an https URL with a host name that resolves to public addresses, and without a port.',
    'RFC 8935 §2',
  ],
  status_invalid: [400, 'The status must be enabled, paused or disabled.', 'SSF 1.0 §8.1.2'],
  subject_invalid: [400, 'The subject must be a subject identifier of RFC 9493.', 'RFC 9493 §3'],
  subject_unknown: [404, 'There is no such subject.', 'SSF 1.0 §8.1.3'],
  subjects_too_many: [403, 'The stream leaves out the maximum number of subjects.', 'SSF 1.0 §8.1.3'],
  poll_invalid: [400, 'The poll request is not valid.', 'RFC 8936 §2.2'],
  verified_too_often: [429, 'Wait before you ask for another verification event.', 'SSF 1.0 §8.1.4.2'],
  body_malformed: [400, 'The request body must be a JSON object.', 'SSF 1.0 §8.1'],
  media_type: [415, 'The Content-Type must be application/json, in UTF-8.', 'SSF 1.0 §8.1'],
  path_not_found: [404, 'This path does not exist.', 'RFC 9110 §15.5.5'],
  method_not_allowed: [405, 'This endpoint does not accept this method.', 'RFC 9110 §15.5.6'],
  message_too_large: [413, 'The request body is too large.', 'RFC 9110 §15.5.14'],
  storage_unavailable: [503, 'The service is temporarily unavailable. Try again shortly.', 'RFC 9110 §15.6.4'],
  unexpected: [500, 'The server encountered an internal error.', 'RFC 9110 §15.6.1'],
} as const satisfies Record<string, readonly [status: number, sentence: string, section: string]>

export type SignalRefusalReason = keyof typeof refusals

/** A refused request. `message` is the sentence of the response; it contains no input. */
export class SignalError extends Error {
  override readonly name = 'SignalError'
  readonly reason: SignalRefusalReason
  readonly status: number
  /** In seconds. */
  readonly retryAfter: number | undefined
  /** The scope value that gives access. */
  readonly scope: string | undefined

  constructor(
    reason: SignalRefusalReason,
    more: { readonly cause?: unknown; readonly retryAfter?: number; readonly scope?: string } = {},
  ) {
    const [status, sentence] = refusals[reason]
    super(sentence, { cause: more.cause })
    this.reason = reason
    this.status = status
    this.retryAfter = more.retryAfter
    this.scope = more.scope
  }
}

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
      /** The error that caused a response with status 500 or 503. */
      readonly cause: unknown
    }

/** An event of the transmitter, with its time. */
export type TransmitterEvent = TransmitterOccurrence & EventStamp<EpochSeconds>
