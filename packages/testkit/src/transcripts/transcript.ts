/** A value that JSON can represent. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json }

/**
 * The requests of an identity provider, in order, and the expected responses. `{{name}}` in a path, a body or an
 * expectation is replaced by the value that an earlier step has saved under this name; `{{random}}` is replaced by a
 * value that is new for each replay.
 */
export interface Transcript {
  readonly name: string
  /** The headers of every request, except Authorization. */
  readonly headers: Readonly<Record<string, string>>
  readonly steps: readonly TranscriptStep[]
}

/** One request and its expected response. */
export interface TranscriptStep {
  readonly id: string
  readonly title: string
  readonly request: {
    readonly method: string
    /** The path below the SCIM base URL, including the query, not yet percent-encoded. */
    readonly path: string
    readonly headers?: Readonly<Record<string, string>>
    readonly body?: Json
  }
  readonly expect: Expectation
  /** The values of the response to save: a path such as `Resources.0.id`, by name. */
  readonly save?: Readonly<Record<string, string>>
}

/** The response that the provider expects. */
export interface Expectation {
  /** The status codes that the provider accepts. */
  readonly status: readonly number[]
  /**
   * The expected body. Objects must have at least these members, arrays must have the same values in any order, and
   * other values must be equal. If the response has no body, its body is not checked.
   */
  readonly body?: Json
  /** Paths that must have no value: missing, null, or an empty array. */
  readonly absent?: readonly string[]
  /** Paths that must have a non-empty string. */
  readonly text?: readonly string[]
  /** Strings that the response must not contain. */
  readonly never?: readonly string[]
}
