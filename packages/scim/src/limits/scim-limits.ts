import { type OptionChecks, wholeNumber } from '@mintmark/internal'

/** Limits on how much of the server one provider may use. Each limit is a whole number of at least 1. */
export interface ScimLimits {
  /**
   * The largest message, in bytes.
   * @defaultValue 4194304. A group with 40,000 members and their names fits in one request.
   */
  readonly payloadBytes: number
  /**
   * How many operations a PATCH request may have, at most 100000.
   * @defaultValue 1000. Entra and Okta send up to a hundred operations in a request.
   */
  readonly patchOperations: number
  /**
   * How many operations a Bulk request may have, at most 10000. `/ServiceProviderConfig` publishes the number.
   * @defaultValue 1000. Each operation may be a write, and counts as one request towards `requestLimit`.
   */
  readonly bulkOperations: number
  /**
   * How many requests of a provider are processed at the same time; up to 200 more wait. A Bulk request counts as one.
   * @defaultValue 4. Most connections of a database pool then stay available to other providers.
   */
  readonly requestsAtOnce: number
  /**
   * How many bytes of messages and responses of a provider may be in memory at the same time. A single message or
   * response may be larger.
   * @defaultValue 33554432. Several large groups fit into this memory at once.
   */
  readonly bytesAtOnce: number
  /**
   * How many bytes of messages and large responses of all providers together may be in memory at the same time. A
   * single message or response may be larger.
   * @defaultValue 134217728. The process stays below 512 MB even when several customers send as much as they can.
   */
  readonly totalBytesAtOnce: number
  /**
   * The maximum work for one PATCH or Bulk request, in values that are read; twelve comparisons of a filter count as
   * one value.
   * @defaultValue 1000000. This much work takes about half a second, during which other requests continue.
   */
  readonly work: number
  /**
   * The largest user, group (without its members) or resource of a custom type that is stored, in bytes of JSON.
   * @defaultValue 262144. A user with several pictures in data URLs is smaller.
   */
  readonly resourceBytes: number
  /**
   * How many users a provider may have. Users who are created by a sign-in are not refused.
   * @defaultValue 1000000. Searches and sorting that use an index were measured with this number of users.
   */
  readonly users: number
  /**
   * How many groups a provider may have.
   * @defaultValue 100000. It is ten times as many as large customers synchronize.
   */
  readonly groups: number
  /**
   * How many resources of each custom type a provider may have.
   * @defaultValue 100000. It is ten times as many as large customers synchronize.
   */
  readonly customResources: number
  /**
   * How many agents a provider may have.
   * @defaultValue 1000. A search reads all of them, and each is a client of the authorization server.
   */
  readonly agents: number
  /**
   * How many direct members a group may have.
   * @defaultValue 200000. Memory and time were measured with groups of half this size.
   */
  readonly groupMembers: number
  /**
   * How many groups a user or a group may be a direct member of.
   * @defaultValue 5000. A response that contains a user with 5000 groups takes a few megabytes.
   */
  readonly groupsOfMember: number
}

export const defaultLimits: ScimLimits = {
  payloadBytes: 4_194_304,
  patchOperations: 1000,
  bulkOperations: 1000,
  requestsAtOnce: 4,
  bytesAtOnce: 33_554_432,
  totalBytesAtOnce: 134_217_728,
  work: 1_000_000,
  resourceBytes: 262_144,
  users: 1_000_000,
  groups: 100_000,
  customResources: 100_000,
  agents: 1000,
  groupMembers: 200_000,
  groupsOfMember: 5000,
}

/** The limits that the message parsers enforce. */
export type MessageLimits = Pick<ScimLimits, 'payloadBytes' | 'patchOperations' | 'bulkOperations'>

export const scimLimits = (limits: Partial<ScimLimits> = {}): ScimLimits => ({ ...defaultLimits, ...limits })

const aLimit = wholeNumber(1)

export const limitChecks: OptionChecks<Partial<ScimLimits>> = {
  payloadBytes: aLimit,
  patchOperations: wholeNumber(1, 100_000),
  bulkOperations: wholeNumber(1, 10_000),
  requestsAtOnce: aLimit,
  bytesAtOnce: aLimit,
  totalBytesAtOnce: aLimit,
  work: aLimit,
  resourceBytes: aLimit,
  users: aLimit,
  groups: aLimit,
  customResources: aLimit,
  agents: wholeNumber(1, 10_000),
  groupMembers: aLimit,
  groupsOfMember: aLimit,
}
