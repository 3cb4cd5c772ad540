import { refusals, type AdminRefusalReason } from './refusals.ts'

interface AdminErrorOptions {
  /** A sentence that says more than the one of the reason; without anything of the request. */
  readonly detail?: string | undefined
  /** Which member of the request it was about, as a JSON Pointer (RFC 6901). */
  readonly pointer?: string | undefined
  readonly cause?: unknown
}

/**
 * A refusal that an administrator can understand; its `reason` is stable. Nothing was changed unless the reason says so.
 */
export class AdminError extends Error {
  override readonly name = 'AdminError'
  readonly reason: AdminRefusalReason
  readonly status: number
  readonly detail: string
  readonly pointer: string | undefined

  constructor(reason: AdminRefusalReason, { detail, pointer, cause }: AdminErrorOptions = {}) {
    const [status, sentence] = refusals[reason]
    super(detail ?? sentence, { cause })
    this.reason = reason
    this.status = status
    this.detail = detail ?? sentence
    this.pointer = pointer
  }
}
