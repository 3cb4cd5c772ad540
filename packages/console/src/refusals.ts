import type { EventStamp } from '@mintmark/internal'

/**
 * The refusals of the console itself by reason: the status of the response, and the section of the standard. The
 * sentences are in the catalogues. The administration API refuses everything else.
 */
export const refusals = {
  cross_site: [403, 'RFC 9700 §4.7'],
  not_signed_in: [403, 'RFC 9110 §15.5.4'],
  not_an_administrator: [403, 'RFC 9110 §15.5.4'],
  setup_link_invalid: [403, 'RFC 9110 §15.5.4'],
  scope_missing: [403, 'RFC 6750 §3.1'],
  form_malformed: [400, 'RFC 9110 §15.5.1'],
  page_not_found: [404, 'RFC 9110 §15.5.5'],
  method_not_allowed: [405, 'RFC 9110 §15.5.6'],
  message_too_large: [413, 'RFC 9110 §15.5.14'],
  unexpected_failure: [500, 'RFC 9110 §15.6.1'],
} as const satisfies Record<string, readonly [status: number, section: string]>

export type ConsoleRefusalReason = keyof typeof refusals

/** The console refused a request. */
export class ConsoleError extends Error {
  override readonly name = 'ConsoleError'
  readonly status: number
  readonly reason: ConsoleRefusalReason

  constructor(reason: ConsoleRefusalReason, options: { readonly cause?: unknown } = {}) {
    super(reason, options)
    this.status = refusals[reason][0]
    this.reason = reason
  }
}

/** The administration API refused a request of the console. It has recorded an event with the reason. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly status: number
  /** The `code` of the problem details (RFC 9457). */
  readonly code: string
  /** A fixed sentence in English. */
  readonly detail: string
  readonly pointer: string | undefined

  constructor(problem: Pick<ApiError, 'status' | 'code' | 'detail' | 'pointer'>) {
    super(problem.code)
    this.status = problem.status
    this.code = problem.code
    this.detail = problem.detail
    this.pointer = problem.pointer
  }
}

/** A request that the console itself refused. Refusals of the administration API are events of that API. */
export type ConsoleEvent = ConsoleOccurrence & EventStamp<number>

export interface ConsoleOccurrence {
  readonly type: 'request.refused'
  readonly method: string
  /** The path without the query, which may contain data about users. */
  readonly path: string
  readonly status: number
  readonly reason: ConsoleRefusalReason
  /** The error that caused a response with status 500. */
  readonly cause: unknown
}
