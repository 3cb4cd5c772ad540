import { defineRefusals, type EventStamp } from '@mintmark/internal'

/** The refusals of the console itself. The catalogues have their sentences. The administration API refuses everything else. */
export const refusals = /* @__PURE__ */ defineRefusals(() => ({
  cross_site: { status: 403, section: 'RFC 9700 §4.7' },
  not_signed_in: { status: 403, section: 'RFC 9110 §15.5.4' },
  not_an_administrator: { status: 403, section: 'RFC 9110 §15.5.4' },
  setup_link_invalid: { status: 403, section: 'RFC 9110 §15.5.4' },
  scope_missing: { status: 403, section: 'RFC 6750 §3.1' },
  form_malformed: { status: 400, section: 'RFC 9110 §15.5.1' },
  page_not_found: { status: 404, section: 'RFC 9110 §15.5.5' },
  method_not_allowed: { status: 405, section: 'RFC 9110 §15.5.6' },
  message_too_large: { status: 413, section: 'RFC 9110 §15.5.14' },
  unexpected_failure: { status: 500, section: 'RFC 9110 §15.6.1' },
}))

export type ConsoleRefusalReason = keyof typeof refusals

/** The console refused a request. */
export class ConsoleError extends Error {
  override readonly name = 'ConsoleError'
  readonly status: number
  readonly reason: ConsoleRefusalReason

  constructor(reason: ConsoleRefusalReason, options: { readonly cause?: unknown }) {
    super(reason, options)
    this.status = refusals[reason].status
    this.reason = reason
  }
}

/** Creates the error to throw for a refusal. */
export const refuse = (reason: ConsoleRefusalReason, options: { readonly cause?: unknown } = {}): ConsoleError =>
  new ConsoleError(reason, options)

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
