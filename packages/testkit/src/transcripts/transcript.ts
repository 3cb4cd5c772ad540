/** A value that JSON can carry. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json }

/**
 * What an identity provider sends, in order, and what it expects back. `{{name}}` in a path, a body or an expectation stands
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
  /** Names for values of the answer, by their place in it: `Resources.0.id`. */
  readonly save?: Readonly<Record<string, string>>
}

/** What the provider makes of an answer. */
export interface Expectation {
  /** The statuses that it takes for success. */
  readonly status: readonly number[]
  /** Of objects the named members, of arrays and everything else exactly this. An answer without a body is not looked at. */
  readonly body?: Json
  /** Places that hold no value: missing, null, or an empty array. */
  readonly absent?: readonly string[]
  /** Places that hold a text of their own. */
  readonly text?: readonly string[]
  /** Texts that the answer does not hold anywhere. */
  readonly never?: readonly string[]
}
