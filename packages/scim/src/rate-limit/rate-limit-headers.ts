import type { Header } from '@mintmark/core/http'
import type { RateDecision } from '@mintmark/core/internal'

/**
 * What a decision tells a provider (RFC 6585 §4). Besides `Retry-After`, the names that SailPoint reads and slows down by (seen
 * 2026); `Reset` and `Retry-After` are seconds from now.
 */
export function rateLimitHeaders(decision: RateDecision): readonly Header[] {
  const { quota } = decision
  const told: readonly Header[] =
    quota === undefined
      ? []
      : [
          ['X-Rate-Limit-Limit', String(quota.limit)],
          ['X-Rate-Limit-Remaining', String(quota.remaining)],
          ['X-Rate-Limit-Reset', String(quota.resetAfter)],
        ]
  if (decision.allowed) return told
  const retryAfter = String(decision.retryAfter)
  return [...told, ['Retry-After', retryAfter], ['X-Rate-Limit-Retry-After-Seconds', retryAfter]]
}
