import type { JsonValue } from '@mintmark/storage-interface'

/** One operation of a bulk request (RFC 7644 §3.7), as it was sent: a bulk request writes. */
export type BulkOperation = Creation | Change

interface Creation extends Sent {
  readonly method: 'POST'
  /** By which other operations of the request refer to what this one creates. */
  readonly bulkId: string
}

interface Change extends Sent {
  readonly method: 'PUT' | 'PATCH' | 'DELETE'
  readonly bulkId: string | undefined
}

interface Sent {
  /** Below the provider's base, with a leading slash; not yet looked at. */
  readonly path: string
  /** The entity tag that the resource must have. */
  readonly version: string | undefined
  /** The body that the method would have by itself. */
  readonly data: JsonValue | undefined
}

/** A bulk request (RFC 7644 §3.7). */
export interface BulkRequest {
  readonly operations: readonly BulkOperation[]
  /** After so many errors nothing more is done. */
  readonly failOnErrors: number
}
