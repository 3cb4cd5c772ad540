import type { JsonValue } from '@mintmark/storage-interface'

/** The methods of operations (RFC 7644 §3.7): a bulk request writes. */
export type BulkMethod = 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** One operation of a bulk request (RFC 7644 §3.7), as it was sent. */
export interface BulkOperation {
  readonly method: BulkMethod
  /** Below the provider's base, with a leading slash; not yet looked at. */
  readonly path: string
  /** By which other operations of the request refer to what this one creates. */
  readonly bulkId: string | undefined
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
