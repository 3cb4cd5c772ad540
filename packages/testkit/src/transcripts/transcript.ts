/** A value that JSON can carry. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json }

/**
 * The requests of an identity provider, in order, and the expected responses. `{{name}}` in a path, a body or an
 * expectation stands
 * for a value that an earlier step saved, or for `{{random}}`, which is new for each replay.
 */
export interface Transcript {
  readonly name: string
  /** Headers of every request, beside Authorization. */
  readonly headers: Readonly<Record<string, string>>
  readonly steps: readonly TranscriptStep[]
}

/** One request and its answer. */
export interface TranscriptStep {
  readonly id: string
  readonly title: string
  readonly request: {
    readonly method: string
    /** Below the SCIM base URL, query included, not yet percent-encoded. */
    readonly path: string
    readonly headers?: Readonly<Record<string, string>>
    readonly body?: Json
  }
  readonly expect: Expectation
  /** Names for values of the response, by their path: `Resources.0.id`. */
  readonly save?: Readonly<Record<string, string>>
}

/** What the provider expects of a response. */
export interface Expectation {
  /** The statuses that it accepts as success. */
  readonly status: readonly number[]
  /**
   * Objects must have the named members; arrays and all other values must be equal. A response without a body is not
   * checked.
   */
  readonly body?: Json
  /** Paths that have no value: missing, null, or an empty array. */
  readonly absent?: readonly string[]
  /** Paths that have a non-empty text. */
  readonly text?: readonly string[]
  /** Texts that the response must not contain. */
  readonly never?: readonly string[]
}
