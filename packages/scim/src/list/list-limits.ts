/** How much of a list one answer holds (RFC 7644 §3.4.2.4, RFC 9865 §4); `/ServiceProviderConfig` says so. */
export const listLimits = {
  /** Resources on a page when `count` is not given. Okta and Entra expect at least 100. */
  defaultCount: 100,
  maxCount: 200,
  /** Members of all groups on a page together: with more the page has fewer groups, and never none. Each is some 150 bytes. */
  maxMembers: 20_000,
  /** Seconds from one page of a cursor to the next. */
  cursorLifetime: 3600,
} as const
