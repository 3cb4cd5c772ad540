/** What one provider may use of the server. Each limit is a whole number of at least 1. */
export interface ScimLimits {
  /**
   * The largest message, in bytes.
   * @defaultValue 4194304. A group with 40,000 members and their names is one request.
   */
  readonly payloadBytes: number
  /**
   * How many requests of a provider are processed at the same time; up to 200 more wait. A Bulk request is one.
   * @defaultValue 4. A provider leaves most connections of a database pool to others.
   */
  readonly requestsAtOnce: number
  /**
   * How many bytes of messages and responses of a provider may be in memory at the same time. A single one may be larger.
   * @defaultValue 33554432. Several large groups are in memory at once.
   */
  readonly bytesAtOnce: number
  /**
   * The work of one PATCH or Bulk request, in values that are read; a filter counts every twelfth comparison.
   * @defaultValue 1000000. It takes about half a second, in which others have their turns.
   */
  readonly work: number
  /**
   * The largest user or resource of a custom type that is stored, in bytes of JSON.
   * @defaultValue 262144. A user with several pictures in data URLs fits.
   */
  readonly resourceBytes: number
}

export const defaultLimits: ScimLimits = {
  payloadBytes: 4_194_304,
  requestsAtOnce: 4,
  bytesAtOnce: 33_554_432,
  work: 1_000_000,
  resourceBytes: 262_144,
}

/** @throws TypeError when a limit is unknown or out of range. */
export function scimLimits(given: Partial<ScimLimits> = {}): ScimLimits {
  for (const [name, value] of Object.entries(given)) {
    if (!Object.hasOwn(defaultLimits, name)) throw new TypeError(`There is no limit limits.${name}.`)
    if (!Number.isSafeInteger(value) || value < 1)
      throw new TypeError(`limits.${name} is a whole number of at least 1.`)
  }
  return { ...defaultLimits, ...given }
}
