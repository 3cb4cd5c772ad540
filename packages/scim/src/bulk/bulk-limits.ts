/** What one message may hold, as ServiceProviderConfig shows it (RFC 7643 §5, RFC 7644 §3.7.4). */
export const bulkLimits = {
  maxOperations: 1000,
  /** In bytes; the bound of every message. */
  maxPayloadSize: 1_048_576,
} as const
