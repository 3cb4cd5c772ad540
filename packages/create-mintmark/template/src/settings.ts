import config from '../mintmark.config.json' with { type: 'json' }

const { MINTMARK_ISSUER: issuer, MINTMARK_SQLITE: database, MINTMARK_SEALING_KEY: sealingKey = '' } = process.env

/** The environment overrides mintmark.config.json, as it does for the `mintmark` command. */
export const settings = {
  /** The address of this server. Users, clients and keys belong to it. */
  issuer: issuer ?? config.issuer,
  /** The file of Mintmark's storage. */
  database: database ?? config.sqlite,
  /** The file of your own table of users. */
  users: process.env['USERS_SQLITE'] ?? 'users.db',
  /**
   * The proxies whose `X-Forwarded-For` names the browser's address, as a list for Express. All requests of a proxy that
   * is not listed count as one address, and anyone in a listed network can invent addresses.
   */
  trustedProxies: process.env['TRUSTED_PROXIES'] ?? 'loopback',
  /** Seals the signing keys in the database. */
  sealingKey,
}
