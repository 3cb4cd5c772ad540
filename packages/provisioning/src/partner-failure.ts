/** A partner did not do what a request asked for. `refused`: the same request will fail again. */
export class PartnerFailure extends Error {
  override readonly name = 'PartnerFailure'
  readonly outcome: 'failed' | 'refused'
  /** For the list of deliveries, such as `http_409` or `filter_ignored`. */
  readonly failure: string
  /** In seconds. */
  readonly retryAfter: number

  constructor(outcome: 'failed' | 'refused', failure: string, retryAfter = 0) {
    super(failure)
    this.outcome = outcome
    this.failure = failure
    this.retryAfter = retryAfter
  }
}
